package labcloud

import (
	"context"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

type loadBalancerAnswer struct {
	Found   bool   `json:"found"`
	Address string `json:"address"`
}

func (c *cloud) loadBalancer(ctx context.Context, op string, service *v1.Service, nodes []*v1.Node) (loadBalancerAnswer, error) {
	args := map[string]string{
		"loadBalancer": cloudprovider.DefaultLoadBalancerName(service),
		"service":      service.Namespace + "/" + service.Name,
	}
	if nodes != nil {
		names := make([]string, 0, len(nodes))
		for _, node := range nodes {
			names = append(names, node.Name)
		}
		sort.Strings(names)
		args["nodes"] = strings.Join(names, ",")
	}
	var answer loadBalancerAnswer
	err := c.ask(ctx, op, args, &answer)
	return answer, err
}

func (a loadBalancerAnswer) status() *v1.LoadBalancerStatus {
	return &v1.LoadBalancerStatus{Ingress: []v1.LoadBalancerIngress{{IP: a.Address}}}
}

func (c *cloud) GetLoadBalancer(ctx context.Context, _ string, service *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	answer, err := c.loadBalancer(ctx, "GetLoadBalancer", service, nil)
	if err != nil || !answer.Found {
		return nil, false, err
	}
	return answer.status(), true, nil
}

func (c *cloud) GetLoadBalancerName(_ context.Context, _ string, service *v1.Service) string {
	return cloudprovider.DefaultLoadBalancerName(service)
}

func (c *cloud) EnsureLoadBalancer(ctx context.Context, _ string, service *v1.Service, nodes []*v1.Node) (*v1.LoadBalancerStatus, error) {
	answer, err := c.loadBalancer(ctx, "EnsureLoadBalancer", service, nodes)
	if err != nil {
		return nil, err
	}
	return answer.status(), nil
}

func (c *cloud) UpdateLoadBalancer(ctx context.Context, _ string, service *v1.Service, nodes []*v1.Node) error {
	_, err := c.loadBalancer(ctx, "UpdateLoadBalancer", service, nodes)
	return err
}

func (c *cloud) EnsureLoadBalancerDeleted(ctx context.Context, _ string, service *v1.Service) error {
	_, err := c.loadBalancer(ctx, "EnsureLoadBalancerDeleted", service, nil)
	return err
}
