package labcloud

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

const (
	instanceType     = "lab.small"
	providerIDPrefix = ProviderName + "://"
)

type instanceAnswer struct {
	Found    bool   `json:"found"`
	Shutdown bool   `json:"shutdown"`
	Address  string `json:"address"`
}

func (c *cloud) instance(ctx context.Context, op, name string) (instanceAnswer, error) {
	var answer instanceAnswer
	err := c.ask(ctx, op, map[string]string{"instance": name}, &answer)
	return answer, err
}

// instanceName is the machine behind a Node: its providerID, which stays when a Node is named otherwise than its host.
func instanceName(node *v1.Node) string {
	if name, found := strings.CutPrefix(node.Spec.ProviderID, providerIDPrefix); found {
		return name
	}
	return node.Name
}

func (c *cloud) InstanceExists(ctx context.Context, node *v1.Node) (bool, error) {
	answer, err := c.instance(ctx, "InstanceExists", instanceName(node))
	return answer.Found, err
}

func (c *cloud) InstanceShutdown(ctx context.Context, node *v1.Node) (bool, error) {
	answer, err := c.instance(ctx, "InstanceShutdown", instanceName(node))
	return answer.Shutdown, err
}

func (c *cloud) InstanceMetadata(ctx context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	name := instanceName(node)
	answer, err := c.instance(ctx, "InstanceMetadata", name)
	if err != nil {
		return nil, err
	}
	if !answer.Found {
		return nil, cloudprovider.InstanceNotFound
	}
	return &cloudprovider.InstanceMetadata{
		ProviderID:    providerIDPrefix + name,
		InstanceType:  instanceType,
		NodeAddresses: addresses(name, answer),
	}, nil
}

func addresses(name string, answer instanceAnswer) []v1.NodeAddress {
	return []v1.NodeAddress{
		{Type: v1.NodeInternalIP, Address: answer.Address},
		{Type: v1.NodeHostName, Address: name},
	}
}

// instances is the older interface, which the in-tree code of kubelets up to 1.30 still uses.
type instances struct{ cloud *cloud }

func (i instances) NodeAddresses(ctx context.Context, name types.NodeName) ([]v1.NodeAddress, error) {
	answer, err := i.cloud.instance(ctx, "NodeAddresses", string(name))
	if err != nil {
		return nil, err
	}
	if !answer.Found {
		return nil, cloudprovider.InstanceNotFound
	}
	return addresses(string(name), answer), nil
}

func (i instances) NodeAddressesByProviderID(ctx context.Context, id string) ([]v1.NodeAddress, error) {
	return i.NodeAddresses(ctx, types.NodeName(strings.TrimPrefix(id, providerIDPrefix)))
}

// InstanceID has no scheme: the caller puts the provider's name in front.
func (i instances) InstanceID(_ context.Context, name types.NodeName) (string, error) {
	return string(name), nil
}

func (i instances) InstanceType(context.Context, types.NodeName) (string, error) {
	return instanceType, nil
}

func (i instances) InstanceTypeByProviderID(context.Context, string) (string, error) {
	return instanceType, nil
}

func (i instances) AddSSHKeyToAllInstances(context.Context, string, []byte) error {
	return cloudprovider.NotImplemented
}

func (i instances) CurrentNodeName(_ context.Context, hostname string) (types.NodeName, error) {
	return types.NodeName(i.cloud.config.Node), nil
}

func (i instances) InstanceExistsByProviderID(ctx context.Context, id string) (bool, error) {
	answer, err := i.cloud.instance(ctx, "InstanceExistsByProviderID", strings.TrimPrefix(id, providerIDPrefix))
	return answer.Found, err
}

func (i instances) InstanceShutdownByProviderID(ctx context.Context, id string) (bool, error) {
	answer, err := i.cloud.instance(ctx, "InstanceShutdownByProviderID", strings.TrimPrefix(id, providerIDPrefix))
	return answer.Shutdown, err
}
