package labcloud

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

type routesAnswer struct {
	Routes []struct {
		Name        string `json:"name"`
		Node        string `json:"node"`
		Destination string `json:"destination"`
	} `json:"routes"`
}

func (c *cloud) ListRoutes(ctx context.Context, _ string) ([]*cloudprovider.Route, error) {
	var answer routesAnswer
	if err := c.ask(ctx, "ListRoutes", nil, &answer); err != nil {
		return nil, err
	}
	routes := make([]*cloudprovider.Route, 0, len(answer.Routes))
	for _, route := range answer.Routes {
		routes = append(routes, &cloudprovider.Route{
			Name:            route.Name,
			TargetNode:      types.NodeName(route.Node),
			DestinationCIDR: route.Destination,
		})
	}
	return routes, nil
}

func (c *cloud) CreateRoute(ctx context.Context, _ string, hint string, route *cloudprovider.Route) error {
	return c.changeRoute(ctx, "CreateRoute", route)
}

func (c *cloud) DeleteRoute(ctx context.Context, _ string, route *cloudprovider.Route) error {
	return c.changeRoute(ctx, "DeleteRoute", route)
}

func (c *cloud) changeRoute(ctx context.Context, op string, route *cloudprovider.Route) error {
	args := map[string]string{"node": string(route.TargetNode), "destination": route.DestinationCIDR}
	var answer struct{}
	return c.ask(ctx, op, args, &answer)
}
