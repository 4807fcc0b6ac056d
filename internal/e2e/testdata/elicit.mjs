// A client made with the protocol's own kits for Node. It calls one tool, answers
// what it is asked, and prints what it was asked and what came back, as one line
// of JSON each.
//
//   node elicit.mjs FOLDER KIT ERA ACTION DECISION TOOL URL|COMMAND ARG…
//
// FOLDER has node_modules. KIT is "sdk" (version 1) or "client" (version 2), ERA
// "legacy" or "modern".
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, kit, era, action, decision, tool, target, ...args] = process.argv.slice(2);
const require = createRequire(folder + "/package.json");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const say = (value) => console.log(JSON.stringify(value));

const info = { name: "kit-" + kit, version: "1" };
const capabilities = { elicitation: { form: {} } };
let client, http, stdio, method;
if (kit === "sdk") {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  http = (await load("@modelcontextprotocol/sdk/client/streamableHttp.js")).StreamableHTTPClientTransport;
  stdio = (await load("@modelcontextprotocol/sdk/client/stdio.js")).StdioClientTransport;
  method = (await load("@modelcontextprotocol/sdk/types.js")).ElicitRequestSchema;
  client = new Client(info, { capabilities });
} else {
  const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
  http = StreamableHTTPClientTransport;
  stdio = (await load("@modelcontextprotocol/client/stdio")).StdioClientTransport;
  method = "elicitation/create";
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  client = new Client(info, { capabilities, versionNegotiation: { mode } });
}

client.setRequestHandler(method, async (request) => {
  say({ asked: request.params });
  return action === "accept" ? { action, content: { decision } } : { action };
});

const transport = target.startsWith("http")
  ? new http(new URL(target))
  : new stdio({ command: target, args, env: { ...process.env }, stderr: "ignore" });
await client.connect(transport);
const call = { name: "tool_call", arguments: { id: tool, args: { litres: 2 } } };
say({ result: kit === "sdk" ? await client.callTool(call, undefined, { timeout: 30000 }) : await client.callTool(call, { timeout: 30000 }) });
await client.close();
