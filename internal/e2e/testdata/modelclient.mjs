// A program that talks to a language model with a kit that people use, and has one
// tool of its own, light_lamp. It prints what the tool was called with, the last
// text, and what each answer said of its session, as one line of JSON.
//
//   node modelclient.mjs FOLDER KIT WHOLE|STREAMED BASE_URL MODEL
//
// FOLDER has node_modules. KIT is "openai" or "ai". Nothing but BASE_URL is asked.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, kit, way, baseURL, model] = process.argv.slice(2);
const require = createRequire(folder + "/package.json");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const question = "Water the plants, then light the hall.";
const description = "Light the lamp of a room.";
const parameters = {
  type: "object",
  properties: { room: { type: "string" }, level: { type: "number" } },
  required: ["room", "level"],
  additionalProperties: false,
};
const streamed = way === "streamed";
const ran = [];
const sessions = [];
const types = [];
let pieces = "";

function light(args) {
  ran.push(args);
  return `${args.room} lit at ${args.level}`;
}

async function ask(url, options) {
  if (!String(url).startsWith(baseURL + "/")) throw new Error(`${url} is not to be asked`);
  const answer = await fetch(url, options);
  sessions.push(answer.headers.get("x-toolcrib-session"));
  types.push(answer.headers.get("content-type"));
  return answer;
}

async function withOpenAI() {
  const { default: OpenAI } = await load("openai");
  const client = new OpenAI({ baseURL, apiKey: "none", fetch: ask, maxRetries: 0 });
  const runner = client.chat.completions.runTools({
    model,
    messages: [{ role: "user", content: question }],
    stream: streamed,
    ...(streamed ? { stream_options: { include_usage: true } } : {}),
    tools: [{ type: "function", function: { name: "light_lamp", description, parameters, parse: JSON.parse, function: light } }],
  });
  if (streamed) runner.on("content", (piece) => (pieces += piece));
  const text = await runner.finalContent();
  const usage = await runner.totalUsage();
  return { text, input: usage.prompt_tokens, output: usage.completion_tokens };
}

async function withAI() {
  const { generateText, streamText, jsonSchema, stepCountIs, tool } = await load("ai");
  const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({ name: "crib", baseURL, apiKey: "none", fetch: ask, includeUsage: true });
  const options = {
    model: provider(model),
    prompt: question,
    maxRetries: 0,
    stopWhen: stepCountIs(5),
    tools: { light_lamp: tool({ description, inputSchema: jsonSchema(parameters), execute: light }) },
  };
  if (!streamed) {
    const { text, totalUsage } = await generateText(options);
    return { text, input: totalUsage.inputTokens, output: totalUsage.outputTokens };
  }
  let failure;
  const result = streamText({ ...options, onError: ({ error }) => (failure = error) });
  for await (const piece of result.textStream) pieces += piece;
  if (failure) throw failure;
  const usage = await result.totalUsage;
  return { text: await result.text, input: usage.inputTokens, output: usage.outputTokens };
}

const told = await (kit === "openai" ? withOpenAI() : withAI());
console.log(JSON.stringify({ ...told, ran, sessions, types, pieces }));
