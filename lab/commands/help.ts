export const HELP = `Real Kubernetes control planes on this Linux machine, as root: etcd, API server, scheduler, managers, and nodes that are
namespaces with their own containerd, kubelet and sshd. A fake cloud journals who called it.

Usage: npm run lab -- VERB [options]

  prepare [--from V] [--to V]   install the Debian packages and build Kubernetes (4 minutes a version, once)
  up [options]                  start a lab and wait until every Node is Ready
      --clusters N                clusters lab-1, lab-2, … (default 1)
      --nodes N                   control-plane nodes cp-1, cp-2, … of each (default 3)
      --workers N                 worker nodes worker-1, … of each (default 0)
      --from VERSION              managers and kubelets (default 1.29.15)
      --to VERSION                API servers, and what a migration goes to (default 1.30.14)
      --etcd external|stacked     one process a cluster beside the API server, or a static pod on each
                                  control-plane node (default external)
      --kubelets inTree|external|none   cloud provider of the kubelets (default inTree)
      --hostnames same|different  whether hosts are named as their Nodes (default same)
      --prometheus                one for each cluster, of API server, kubelets and managers
  status                        nodes, and how everything is reached
  ssh NODE [COMMAND …]          onto a node, for example: ssh cp-1 crictl ps
  kubectl ARGUMENTS …           against the first cluster, or the one of --cluster
  journal                       every call to the cloud so far, one JSON line each
  truth                         who really owned the cloud controllers when, as JSON: from the audit log, the
                                processes, what they say of themselves, and the cloud's journal
  logs [NODE]                   where the logs are
  fault KIND …                  let something happen:
      crash NODE | boot NODE      the machine dies at once · starts again
      cut NODE | mend NODE        its network cable
      full-disk NODE | free-disk NODE   no room at all, and room again, where its manifests are
      kill|pause|resume NODE kcm|ccm    SIGKILL, SIGSTOP, SIGCONT to its manager
      kill-api | restore-api      the API server
      expire-certificate | renew-certificate   that of the API server, for new connections
      slow-cloud MILLISECONDS     each call takes so much longer
      fail-cloud OP TEXT          each call OP fails, for example: fail-cloud EnsureLoadBalancer "quota"
      heal-cloud                  neither
  down                          end it; nothing stays

  --lab N                       which lab of this machine (default 1)
  --cluster NAME                which cluster of it (default lab-1)

A first session:

  npm run lab -- prepare
  npm run lab -- up
  npm run lab -- kubectl get nodes,leases -A
  npm run lab -- ssh cp-1 ps aux
  npm run lab -- down

Whatever ends a lab, SIGKILL too, a watchdog takes it away. Binaries stay in ~/.cache/ccm-migrate/lab.
`;
