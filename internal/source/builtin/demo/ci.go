package demo

import (
	"fmt"
	"strings"
)

// ci builds and tests code.
func ci(s *service) {
	pipelines := pipelinesTable(s)
	builds := buildsTable(s, pipelines)
	lines := shape(listing("lines", "Lines of the log.", schema{"type": "string"}), yesNo("complete", "False while the build runs.").must())
	s.offer("ci",
		pipelines.list("list_pipelines", "List the build pipelines and what they build.", `{"paused":false}`, pipelines.by("paused"), pipelines.by("repository")),
		do(adds, "start_build", "Build and test a branch now.", `{"pipeline_id":"PIP-102","branch":"main"}`, builds.columns("pipeline_id", "branch"), builds.record(),
			func(c *call) (any, error) {
				p, err := pipelines.find(c.args.str("pipeline_id"))
				if err != nil {
					return nil, err
				}
				if p.yes("paused") {
					return nil, refuse("pipeline %s (%s) is paused: resume it with pause_pipeline first", p.str("id"), p.str("name"))
				}
				c.step("queued behind %d builds", len(builds.where(is("status", "queued"))))
				commit := fmt.Sprintf("%07x", int(wobble(p.str("id"), c.args.str("branch"))*0xfffffff))
				return builds.insert(stamp(c.now), record{"pipeline_id": p["id"], "branch": c.args["branch"], "commit": commit})
			}),
		builds.get("get_build", "Show one build: its branch, commit, status, and where it broke.", `{"build_id":"BLD-102"}`),
		builds.list("list_builds", "List builds, optionally by pipeline, branch or status.", `{"status":"failed"}`, builds.by("pipeline_id"), builds.by("branch"), builds.by("status")),
		builds.act(destroys, "cancel_build", "Stop a build that is queued or running. What it did so far is lost.", `{"build_id":"BLD-104"}`, nil,
			func(_ *call, r record) (record, error) {
				if st := r.str("status"); st == "passed" || st == "failed" {
					return nil, refuse("%s has ended already: it %s", r.str("id"), st)
				}
				return record{"status": "cancelled"}, nil
			}),
		do(adds, "retry_build", "Run a finished build again on the same commit.", `{"build_id":"BLD-102"}`, fields(builds.keyField()), builds.record(),
			func(c *call) (any, error) {
				b, err := builds.find(c.args.str("build_id"))
				if err != nil {
					return nil, err
				}
				if st := b.str("status"); st == "queued" || st == "running" {
					return nil, refuse("%s is still %s: wait for it or cancel it", b.str("id"), st)
				}
				again := b.pick("pipeline_id", "branch", "commit")
				again["retry_of"] = b["id"]
				return builds.insert(stamp(c.now), again)
			}),
		do(reads, "read_build_log", "Read the console output of a build, all of it or its last lines.", `{"build_id":"BLD-102","last":5}`,
			fields(builds.keyField(), whole("last", "Only this many lines from the end.", 1, 1000)), lines, func(c *call) (any, error) {
				b, err := builds.find(c.args.str("build_id"))
				if err != nil {
					return nil, err
				}
				log := buildLog(b)
				if n := c.args.int("last"); n > 0 {
					log = log[max(0, len(log)-n):]
				}
				return record{"lines": log, "complete": b.str("status") != "running" && b.str("status") != "queued"}, nil
			}),
		do(reads, "build_statistics", "Say how often builds pass and how long they take, for each pipeline.", `{}`, nil,
			shape(listing("pipelines", "One entry a pipeline.", shape(
				text("pipeline", "Its name.").must(), whole("builds", "Finished builds.", 0, maxRows).must(),
				number("pass_rate", "Share that passed, from 0 to 1.", 0, 1).must(), number("mean_seconds", "Mean time.", 0, 86_400).must()))),
			func(*call) (any, error) { return record{"pipelines": buildStatistics(pipelines, builds)}, nil }),
		pipelines.fill("pause_pipeline", "Pause a pipeline so that nothing starts builds, or resume it.", `{"pipeline_id":"PIP-103","paused":false}`, "paused"),
		pipelines.join("add_pipeline_variable", "Declare a variable of a pipeline by name. Its value is set by a person, outside.", `{"pipeline_id":"PIP-102","variable":"CACHE_URL"}`,
			"variables", newField("variable", "Name in capitals.", "string", schema{"pattern": "^[A-Z][A-Z0-9_]{0,59}$"})),
	)
}

// pipelinesTable holds the pipelines.
func pipelinesTable(s *service) *table {
	return s.table("pipeline", "PIP-", "list_pipelines", fields(
		text("name", "Name of the pipeline.").must(),
		text("repository", "What it builds.").must(),
		yesNo("paused", "True when pushes start nothing.").or(false),
		words("variables", "Names of its variables; values are never shown.").or([]string{}),
	),
		record{"name": "web", "repository": "shop/web", "variables": []string{"REGISTRY", "DEPLOY_KEY"}},
		record{"name": "api", "repository": "shop/api", "variables": []string{"REGISTRY"}},
		record{"name": "nightly", "repository": "shop/all", "paused": true},
	)
}

// buildsTable holds the builds.
func buildsTable(s *service, pipelines *table) *table {
	return s.table("build", "BLD-", "list_builds", fields(
		pipelines.ref("pipeline_id", "Which pipeline ran.").must(),
		text("branch", "Branch that was built.").or("main"),
		text("commit", "Short hash of the commit.").must(),
		choice("status", "How it went.", "queued", "running", "passed", "failed", "cancelled").or("queued"),
		whole("seconds", "How long it took.", 0, 86_400).or(0),
		text("failed_step", "Where it broke."),
		text("retry_of", "Id of the build that it repeats."),
	),
		record{"pipeline_id": "PIP-101", "commit": "a41f09c", "status": "passed", "seconds": 341},
		record{"pipeline_id": "PIP-101", "commit": "b7720d1", "branch": "dark-mode", "status": "failed", "seconds": 187, "failed_step": "test"},
		record{"pipeline_id": "PIP-102", "commit": "09ce5aa", "status": "passed", "seconds": 412},
		record{"pipeline_id": "PIP-102", "commit": "4be1f20", "status": "running"},
		record{"pipeline_id": "PIP-101", "commit": "77aa013", "status": "queued"},
	)
}

func buildLog(b record) []string {
	log := []string{"$ checkout " + b.str("commit") + " (" + b.str("branch") + ")"}
	for _, step := range []string{"install", "compile", "test", "package"} {
		if b.str("status") == "queued" {
			break
		}
		log = append(log, "== "+step)
		if step == b.str("failed_step") {
			return append(log, "FAIL TestContrast: want at least 4.5, got 3.9", "step "+step+" failed")
		}
		log = append(log, fmt.Sprintf("%s took %.1f s", step, 10+90*wobble(b.str("commit"), step)))
		if b.str("status") == "running" && step == "compile" {
			return log
		}
	}
	return append(log, strings.ToUpper(b.str("status")))
}

func buildStatistics(pipelines, builds *table) []record {
	all := []record{}
	for _, p := range pipelines.rows {
		done := builds.where(func(r record) bool {
			return r["pipeline_id"] == p["id"] && (r.str("status") == "passed" || r.str("status") == "failed")
		})
		row := record{"pipeline": p["name"], "builds": len(done), "pass_rate": 0, "mean_seconds": 0}
		if n := float64(len(done)); n > 0 {
			seconds, _ := sums(done, "status", func(r record) float64 { return r.num("seconds") })
			passed, _ := sums(done, "status", func(r record) float64 {
				if r.str("status") == "passed" {
					return 1
				}
				return 0
			})
			row["pass_rate"], row["mean_seconds"] = cents(passed/n), cents(seconds/n)
		}
		all = append(all, row)
	}
	return all
}
