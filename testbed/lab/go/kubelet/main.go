// The kubelet of the lab: upstream's, with labcloud among its in-tree providers.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kubelet/app"

	_ "ccm-migrate.dev/lab/labcloud"
)

func main() { os.Exit(cli.Run(app.NewKubeletCommand())) }
