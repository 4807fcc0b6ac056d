package bench

// body is a body of code that is measured, and what it must return.
type body struct {
	name string
	code string
	want string
	// heavy bodies are run less often: they take long and vary little.
	heavy bool
}

// runs is how often the body is run, when light ones are run n times.
func (b body) runs(n int) int {
	if b.heavy {
		return max(n/4, min(n, 3))
	}
	return n
}

// bodies are what is measured.
var bodies = []body{
	{
		name: "return 1",
		code: `return 1`,
		want: `1`,
	},
	{
		name: "search, describe, call",
		code: `const [hit] = await openclaw.tools.search("show an issue", {limit: 3});
const tool = await openclaw.tools.describe(hit.id);
const {result} = await openclaw.tools.call(tool.id, {issue_id: "TRK-101"});
return result.details.id;`,
		want: `"TRK-101"`,
	},
	{
		name: "16 calls of 50 ms at once",
		code: `const all = await Promise.all(Array.from({length: 16}, (_, n) => openclaw.tools.call("plugin:bench:wait", {n})));
return all.reduce((sum, {result}) => sum + result.details.n, 0);`,
		want: `120`,
	},
	{
		name: "filter and group a result of 5 MB", heavy: true,
		code: `const {result} = await openclaw.tools.call("plugin:bench:orders");
const groups = {};
for (const o of result.details.orders) {
  if (!o.paid || o.total < 100) continue;
  const g = groups[o.city] ??= {count: 0, total: 0};
  g.count++;
  g.total += o.total;
}
return Object.keys(groups).length;`,
		want: `20`,
	},
	{
		name: "sort 100,000 texts", heavy: true,
		code: `let x = 1;
const list = Array.from({length: 100000}, () => "name " + (x = x * 48271 % 2147483647));
list.sort();
for (let i = 1; i < list.length; i++) if (list[i] < list[i - 1]) return "not sorted";
return list.length;`,
		want: `100000`,
	},
	{
		name: "a regular expression over 1 MB", heavy: true,
		code: `const text = "time=12:30:05 user=mira@example.com action=login\n".repeat(20972);
return [...text.matchAll(/user=(\w+)@example\.com/g)].length;`,
		want: `20972`,
	},
}
