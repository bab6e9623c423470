/** The tools by which the official conformance suite is asked for input, and asks for it. */
import type { Caller } from '../../src/core/http/caller.ts';
import {
  type ClientAnswer,
  type ClientRequest,
  InputRequired,
  type Inputs,
  type Peer,
} from '../../src/mcp/elicitation/peer.ts';
import type { PromptProvider } from '../../src/mcp/provider.ts';
import { Type } from '../../src/mcp/schema.ts';
import { defineTool, errorResult, type Tool, type ToolContext } from '../../src/mcp/tool.ts';

/** Wraps the prompts with the one that asks. */
export function withAskingPrompt(prompts: PromptProvider<Caller>): PromptProvider<Caller> {
  const name = 'test_input_required_result_prompt';
  const requests = {
    user_context: elicit('What context should the prompt use?', { context: { type: 'string' } }),
  };
  return {
    list: async (caller) => [
      ...(await prompts.list(caller)),
      { name, description: 'A prompt that asks' },
    ],
    get: async (asked, args, caller, peer) => {
      if (asked !== name) return prompts.get(asked, args, caller, peer);
      const answers = answered(peer?.inputs, requests);
      const text = JSON.stringify(answers);
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  };
}

/** The answers to all of the requests, or the requests again. */
function answered(
  inputs: Inputs | undefined,
  requests: Readonly<Record<string, ClientRequest>>,
  state: object = {},
): Readonly<Record<string, ClientAnswer>> {
  const answers = inputs?.answers ?? {};
  if (Object.keys(requests).every((name) => answers[name])) return answers;
  throw new InputRequired(requests, state);
}

/** One round of requests after the other; the state counts them. */
function inRounds(name: string, rounds: readonly Readonly<Record<string, ClientRequest>>[]): Tool {
  return asks(name, async ({ peer }) => {
    const { round = 0 } = (peer.inputs?.state ?? {}) as { round?: number };
    const answers = answered(peer.inputs, rounds[round]!, { round });
    const next = rounds[round + 1];
    if (next) throw new InputRequired(next, { round: round + 1 });
    return said(`state-ok ${JSON.stringify(answers)}`);
  });
}

function asks(name: string, call: (context: ToolContext) => ReturnType<typeof asking>): Tool {
  return defineTool({
    name,
    title: name,
    description: `Fixture of the conformance suite: ${name}`,
    inputSchema: Type.Object({}),
    annotations: {},
    call: (_args, context) => call(context),
  });
}

async function asking(peer: Peer, request: ClientRequest) {
  const answer = await peer.ask?.(request);
  if (answer === undefined) return errorResult({ error: 'the client cannot be asked' });
  const { action, content } = answer;
  return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
}

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

function elicit(message: string, properties: Readonly<Record<string, object>>): ClientRequest {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

function sample(text: string, maxTokens: number): ClientRequest {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens } };
}

function userName(): ClientRequest {
  return elicit('What is your name?', { name: { type: 'string' } });
}

function confirm(): ClientRequest {
  return elicit('Please confirm', { ok: { type: 'boolean' } });
}

function roots(): ClientRequest {
  return { method: 'roots/list', params: {} };
}

const CONTACT = {
  username: { type: 'string', description: "User's response" },
  email: { type: 'string', description: "User's email address" },
};
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const OPTIONS = ['option1', 'option2', 'option3'];
const titled = (title: string) =>
  [1, 2, 3].map((number) => ({ const: `value${number}`, title: `${title} ${number}` }));
const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

export const elicitationTools: readonly Tool[] = [
  defineTool({
    name: 'test_elicitation',
    title: 'test_elicitation',
    description: 'Asks the user',
    inputSchema: Type.Object({ message: Type.String() }),
    annotations: {},
    call: ({ message }, { peer }) => asking(peer, elicit(message, CONTACT)),
  }),
  defineTool({
    name: 'test_sampling',
    title: 'test_sampling',
    description: 'Asks the model of the client',
    inputSchema: Type.Object({ prompt: Type.String() }),
    annotations: {},
    call: ({ prompt }, { peer }) => asking(peer, sample(prompt, 100)),
  }),
  asks('test_elicitation_sep1034_defaults', ({ peer }) =>
    asking(peer, elicit('Please review', DEFAULTS)),
  ),
  asks('test_elicitation_sep1330_enums', ({ peer }) => asking(peer, elicit('Choose', ENUMS))),
  inRounds('test_input_required_result_elicitation', [{ user_name: userName() }]),
  inRounds('test_input_required_result_sampling', [
    { capital_question: sample('What is the capital of France?', 100) },
  ]),
  inRounds('test_input_required_result_list_roots', [{ client_roots: roots() }]),
  inRounds('test_input_required_result_request_state', [{ confirm: confirm() }]),
  inRounds('test_input_required_result_tampered_state', [{ confirm: confirm() }]),
  inRounds('test_input_required_result_multiple_inputs', [
    { user_name: userName(), greeting: sample('Generate a greeting', 50), client_roots: roots() },
  ]),
  inRounds('test_input_required_result_multi_round', [
    { step1: elicit('Step 1: What is your name?', { name: { type: 'string' } }) },
    { step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
  ]),
  asks('test_input_required_result_capabilities', async ({ peer }) => {
    const all = { user_name: userName(), greeting: sample('Generate a greeting', 50) };
    const able = Object.entries(all).filter(([, { method }]) =>
      peer.abilities.some((ability) => method.startsWith(ability.split('.')[0]!)),
    );
    throw new InputRequired(Object.fromEntries(able));
  }),
];
