// Package labcloud is the cloud provider of the lab, compiled into kube-controller-manager, cloud-controller-manager
// and kubelet. It keeps nothing in memory: every call is a request to the lab's fake cloud, which journals who made it.
package labcloud

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/component-base/version"
)

const (
	// ProviderName is the value of --cloud-provider.
	ProviderName = "labcloud"
	// answerLimit bounds what is read of an answer.
	answerLimit = 1 << 20
	// patience is longer than any test lets the cloud hang: clients of real clouds have no deadline by default.
	patience = 10 * time.Minute
)

// cloudConfig is the file of --cloud-config.
type cloudConfig struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	Cluster string `json:"cluster"`
	Node    string `json:"node"`
}

// caller tells processes apart: a pid is 1 in every container, and a node may run several processes of one name.
type caller struct {
	Cluster   string `json:"cluster"`
	Node      string `json:"node"`
	Component string `json:"component"`
	Process   string `json:"process"`
	Pid       int    `json:"pid"`
	Version   string `json:"version"`
}

type call struct {
	caller
	Op     string            `json:"op"`
	Args   map[string]string `json:"args"`
	SentMs int64             `json:"sentMs"`
}

type cloud struct {
	config cloudConfig
	caller caller
	client *http.Client
}

// One for each process, however often the provider is made: managers make it once for each of their locks.
var process = newProcessID()

func init() {
	cloudprovider.RegisterCloudProvider(ProviderName, newCloud)
}

func newProcessID() string {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

func newCloud(file io.Reader) (cloudprovider.Interface, error) {
	if file == nil {
		return nil, fmt.Errorf("%s needs --cloud-config", ProviderName)
	}
	var config cloudConfig
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil {
		return nil, fmt.Errorf("%s: cloud config: %w", ProviderName, err)
	}
	if config.URL == "" || config.Cluster == "" || config.Node == "" {
		return nil, fmt.Errorf("%s: cloud config names no url, cluster or node", ProviderName)
	}
	who := caller{
		Cluster:   config.Cluster,
		Node:      config.Node,
		Component: filepath.Base(os.Args[0]),
		Process:   process,
		Pid:       os.Getpid(),
		Version:   version.Get().GitVersion,
	}
	return &cloud{config: config, caller: who, client: &http.Client{Timeout: patience}}, nil
}

// ask sends one call to the fake cloud and reads its answer into out.
func (c *cloud) ask(ctx context.Context, op string, args map[string]string, out any) error {
	body, err := json.Marshal(call{caller: c.caller, Op: op, Args: args, SentMs: time.Now().UnixMilli()})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.URL+"/v1/calls", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+c.config.Token)
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", ProviderName, op, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("%s %s: %w", ProviderName, op, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d: %s", ProviderName, op, response.StatusCode, text)
	}
	return json.Unmarshal(text, out)
}

func (c *cloud) Initialize(cloudprovider.ControllerClientBuilder, <-chan struct{}) {}
func (c *cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool)                  { return c, true }
func (c *cloud) InstancesV2() (cloudprovider.InstancesV2, bool)                    { return c, true }
func (c *cloud) Zones() (cloudprovider.Zones, bool)                                { return nil, false }
func (c *cloud) Clusters() (cloudprovider.Clusters, bool)                          { return nil, false }
func (c *cloud) Routes() (cloudprovider.Routes, bool)                              { return c, true }
func (c *cloud) ProviderName() string                                              { return ProviderName }

// HasClusterID spares --allow-untagged-cloud, without which a KCM exits.
func (c *cloud) HasClusterID() bool { return true }

// Instances is asked by in-tree kubelets only; managers use InstancesV2 where there is one.
func (c *cloud) Instances() (cloudprovider.Instances, bool) {
	return instances{c}, c.caller.Component == "kubelet"
}
