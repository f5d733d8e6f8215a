export const LAB_HELP = `Real Kubernetes control planes on this Linux machine, as root: etcd, API server, scheduler, managers, and nodes that are
namespaces with their own containerd, kubelet and sshd. A fake cloud journals who called it.

Usage: npm run lab -- VERB [options]

  prepare [--from V] [--to V]   install the Debian packages and build Kubernetes (4 minutes a version, once)
  up [options]                  start a lab and wait until every Node is Ready
      --clusters N                clusters lab-1, lab-2, … (default 1)
      --nodes N                   control-plane nodes cp-1, cp-2, … of each (default 3)
      --workers N                 worker nodes worker-1, … of each (default 0)
      --from VERSION              managers and kubelets (default 1.29.15)
      --to VERSION                API servers, and the target of a migration (default 1.30.14)
      --etcd external|stacked     one process a cluster beside the API server, or a static pod on each
                                  control-plane node (default external)
      --kubelets inTree|external|none   cloud provider of the kubelets (default inTree)
      --hostnames same|different  whether hosts are named as their Nodes (default same)
      --prometheus                one for each cluster, of API server, kubelets and managers
  status                        nodes, and how to reach everything
  ssh NODE [COMMAND …]          onto a node, for example: ssh cp-1 crictl ps
  kubectl ARGUMENTS …           against the first cluster, or the one of --cluster
  journal                       every call to the cloud so far, one JSON line each
  truth                         the real owners of the cloud controllers over time, as JSON: from the audit log, the
                                processes, their metrics, and the cloud's journal
  logs [NODE]                   where the logs are
  fault KIND …                  inject a fault:
      crash NODE | boot NODE      the machine crashes · boots again
      cut NODE | mend NODE        its network cable is cut · restored
      full-disk NODE | free-disk NODE   the disk with its manifests is full · has space again
      kill|pause|resume NODE kcm|ccm    SIGKILL, SIGSTOP, SIGCONT to its manager
      kill-api | restore-api      SIGKILL to the API server · started again
      kill-prometheus | restore-prometheus   SIGKILL to it · started again with its data
      expire-certificate | renew-certificate   the API server's, for new connections
      slow-cloud MILLISECONDS     delays each call
      fail-cloud OP TEXT          each call of OP fails, for example: fail-cloud EnsureLoadBalancer "quota"
      heal-cloud                  clears both
  down                          stop it; nothing is left

  --lab N                       which lab of this machine, 1 to 31 (default 1); labs run beside each other, each with
                                addresses, namespaces and a folder of its own
  --cluster NAME                which cluster of it (default lab-1)

A first session:

  npm run lab -- prepare
  npm run lab -- up
  npm run lab -- kubectl get nodes,leases -A
  npm run lab -- ssh cp-1 ps aux
  npm run lab -- down

However a lab ends, even by SIGKILL, a watchdog removes it. Binaries stay in ~/.cache/ccm-migrate/lab.
`;
