// The real reader of Leader Migration files, one version of k8s.io/controller-manager at a time: what it makes of each
// configuration on standard input, one JSON answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	internal "k8s.io/controller-manager/config"
	"k8s.io/controller-manager/pkg/leadermigration"
	"k8s.io/controller-manager/pkg/leadermigration/config"
)

// question is one configuration, and the controllers that are asked about.
type question struct {
	Text        string   `json:"text"`
	Controllers []string `json:"controllers"`
}

// answer has an error, or what each component does with each controller.
type answer struct {
	Error        string                       `json:"error,omitempty"`
	LeaderName   string                       `json:"leaderName,omitempty"`
	Dispositions map[string]map[string]string `json:"dispositions,omitempty"`
}

var components = []string{"kube-controller-manager", "cloud-controller-manager"}

func main() {
	folder, err := os.MkdirTemp("", "leader-migration-oracle-")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(folder)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fail(err)
		}
		if err := answers.Encode(answerTo(asked, filepath.Join(folder, "file.yaml"))); err != nil {
			fail(err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

// answerTo reads and validates as options.LeaderMigrationOptions.ApplyTo does.
func answerTo(asked question, path string) answer {
	if err := os.WriteFile(path, []byte(asked.Text), 0o600); err != nil {
		fail(err)
	}
	read, err := config.ReadLeaderMigrationConfiguration(path)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if problems := config.ValidateLeaderMigrationConfiguration(read); len(problems) != 0 {
		return answer{Error: problems.ToAggregate().Error()}
	}
	return answer{LeaderName: read.LeaderName, Dispositions: dispositions(read, asked.Controllers)}
}

func dispositions(read *internal.LeaderMigrationConfiguration, controllers []string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, component := range components {
		filter := leadermigration.NewLeaderMigrator(read, component).FilterFunc
		all[component] = map[string]string{}
		for _, controller := range controllers {
			all[component][controller] = word(int(filter(controller)))
		}
	}
	return all
}

func word(result int) string {
	switch result {
	case leadermigration.ControllerUnowned:
		return "unowned"
	case leadermigration.ControllerMigrated:
		return "migrated"
	case leadermigration.ControllerNonMigrated:
		return "nonMigrated"
	}
	return fmt.Sprintf("unknown %d", result)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
