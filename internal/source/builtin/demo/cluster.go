package demo

import "fmt"

// cluster runs the services of a small shop.
func cluster(s *service) {
	deployments := deploymentsTable(s)
	nodes := nodesTable(s)
	s.offer("cluster",
		deployments.list("list_deployments", "List what runs in the cluster, with versions, copies and health.", `{"environment":"production"}`,
			deployments.by("environment"), deployments.by("service"), deployments.by("health")),
		deployments.get("get_deployment", "Show one deployment: its version, the one before, copies and health.", `{"deployment_id":"DEP-102"}`),
		deployments.act(puts, "deploy_version", "Roll a new version of a service out. The version before can be rolled back to.", `{"deployment_id":"DEP-104","version":"4.2.0"}`,
			fields(newField("version", "Version to run, such as 4.2.0.", "string", schema{"pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.]+)?$", "maxLength": 40}).must()),
			func(c *call, r record) (record, error) {
				version := c.args.str("version")
				if version == r.str("version") {
					return nil, nil
				}
				for i := range min(r.int("replicas"), 50) {
					c.step("copy %d of %s runs %s", i+1, r.str("service"), version)
				}
				return record{"version": version, "previous": r["version"], "health": "healthy"}, nil
			}).alone(),
		deployments.act(adds, "rollback_deployment", "Go back to the version that ran before. Doing it twice swaps the two.", `{"deployment_id":"DEP-102"}`, nil,
			func(_ *call, r record) (record, error) {
				if !r.has("previous") {
					return nil, refuse("%s has run no other version than %s: deploy_version rolls one out", r.str("id"), r.str("version"))
				}
				return record{"version": r["previous"], "previous": r["version"], "health": "healthy"}, nil
			}).alone(),
		deployments.fill("scale_deployment", "Set how many copies of a service run. Zero switches it off.", `{"deployment_id":"DEP-103","replicas":5}`, "replicas"),
		deployments.act(adds, "restart_deployment", "Restart the copies of a service one after another, without an outage.", `{"deployment_id":"DEP-102"}`, nil,
			func(_ *call, r record) (record, error) {
				return record{"restarts": r.int("restarts") + 1, "health": "healthy"}, nil
			}),
		nodes.list("list_nodes", "List the machines of the cluster and how busy they are.", `{}`, nodes.by("cordoned")),
		nodes.fill("cordon_node", "Keep new work off a machine before maintenance, or let it back on.", `{"node_id":"NOD-102","cordoned":true}`, "cordoned"),
		do(reads, "cluster_status", "Show the state of the whole cluster at a glance: health, load and what needs a look.", `{}`, nil,
			shape(
				choice("health", "The worst of all services.", "healthy", "degraded", "down").must(),
				whole("services", "How many services run.", 0, maxRows).must(),
				whole("copies", "How many copies of them.", 0, 100_000).must(),
				number("cpu", "Mean share of the processors in use.", 0, 1).must(),
				number("memory", "Mean share of the memory in use.", 0, 1).must(),
				listing("attention", "What needs a look, in words.", schema{"type": "string"}),
				moment("at", "When this was true.").must(),
			), func(c *call) (any, error) { return clusterStatus(c, deployments, nodes), nil }).direct(),
	)
}

// deploymentsTable holds what runs in the cluster.
func deploymentsTable(s *service) *table {
	return s.table("deployment", "DEP-", "list_deployments", fields(
		text("service", "What runs.").must(),
		choice("environment", "Where it runs.", "staging", "production").must(),
		text("version", "Version that runs now.").must(),
		text("previous", "Version that ran before."),
		whole("replicas", "How many copies run.", 0, 50).or(2),
		choice("health", "How it is.", "healthy", "degraded", "down").or("healthy"),
		whole("restarts", "How often its copies were restarted together.", 0, 1_000_000).or(0),
	),
		record{"service": "web", "environment": "production", "version": "4.1.3", "previous": "4.1.2", "replicas": 6},
		record{"service": "api", "environment": "production", "version": "4.1.3", "previous": "4.1.1", "replicas": 4, "health": "degraded"},
		record{"service": "worker", "environment": "production", "version": "4.1.0", "replicas": 3},
		record{"service": "web", "environment": "staging", "version": "4.2.0-rc1", "previous": "4.1.3"},
	)
}

// nodesTable holds the machines of the cluster.
func nodesTable(s *service) *table {
	return s.table("node", "NOD-", "list_nodes", fields(
		text("name", "Host name.").must(),
		number("cpu", "Share of the processors in use, from 0 to 1.", 0, 1).must(),
		number("memory", "Share of the memory in use, from 0 to 1.", 0, 1).must(),
		yesNo("cordoned", "True when nothing new is put on it.").or(false),
	),
		record{"name": "birch-1", "cpu": 0.41, "memory": 0.63},
		record{"name": "birch-2", "cpu": 0.87, "memory": 0.79},
		record{"name": "birch-3", "cpu": 0.12, "memory": 0.35, "cordoned": true},
	)
}

func clusterStatus(c *call, deployments, nodes *table) record {
	attention, health := []string{}, "healthy"
	for _, d := range deployments.rows {
		switch h := d.str("health"); {
		case h == "healthy":
			continue
		case h == "down" || health == "healthy":
			health = h
		}
		attention = append(attention, fmt.Sprintf("%s (%s, %s) is %s", d.str("id"), d.str("service"), d.str("environment"), d.str("health")))
	}
	for _, n := range nodes.rows {
		if n.num("cpu") > 0.8 {
			attention = append(attention, fmt.Sprintf("%s (%s) uses %.0f %% of its processors", n.str("id"), n.str("name"), 100*n.num("cpu")))
		}
	}
	copies, _ := sums(deployments.rows, "service", func(r record) float64 { return r.num("replicas") })
	cpu, _ := sums(nodes.rows, "name", func(r record) float64 { return r.num("cpu") })
	memory, _ := sums(nodes.rows, "name", func(r record) float64 { return r.num("memory") })
	n := float64(len(nodes.rows))
	return record{
		"health": health, "services": len(deployments.rows), "copies": copies,
		"cpu": cents(cpu / n), "memory": cents(memory / n), "attention": attention, "at": stamp(c.now),
	}
}
