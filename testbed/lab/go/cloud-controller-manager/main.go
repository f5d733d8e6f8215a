// The cloud-controller-manager of the lab, for Kubernetes 1.28 and newer.
package main

import (
	"os"

	"k8s.io/apimachinery/pkg/util/wait"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/klog/v2"

	_ "ccm-migrate.dev/lab/labcloud"
)

func main() {
	given, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatalf("default options: %v", err)
	}
	command := app.NewCloudControllerManagerCommand(given, cloudOf, app.DefaultInitFuncConstructors,
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, wait.NeverStop)
	os.Exit(cli.Run(command))
}

func cloudOf(config *config.CompletedConfig) cloudprovider.Interface {
	wanted := config.ComponentConfig.KubeCloudShared.CloudProvider
	cloud, err := cloudprovider.InitCloudProvider(wanted.Name, wanted.CloudConfigFile)
	if err != nil {
		klog.Fatalf("cloud provider %q: %v", wanted.Name, err)
	}
	if cloud == nil {
		klog.Fatal("--cloud-provider is empty")
	}
	return cloud
}
