import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../core/http/caller.ts';
import { SILENT_PEER } from './elicitation/peer.ts';
import { Type } from './schema.ts';
import { defineTool, errorResult, jsonResult, type Tool, type ToolContext } from './tool.ts';

interface Guest extends Caller {
  readonly room: number;
}

const context: ToolContext<Guest> = {
  caller: { user: 'a', incarnation: '1', clientId: 'b', room: 7 },
  onCancelled: () => {},
  progress: () => {},
  peer: SILENT_PEER,
  isAlive: async () => true,
  onSent: () => {},
};

test('arguments and caller of a tool have the types of its schema and its program', async () => {
  const tool: Tool<Guest> = defineTool({
    name: 'greet',
    title: 'Greet',
    description: 'Greets a guest',
    inputSchema: Type.Object({ times: Type.Integer() }),
    annotations: { readOnlyHint: true },
    call: async ({ times }, { caller }: ToolContext<Guest>) =>
      jsonResult({ greeting: 'hello '.repeat(times).trim(), room: caller.room + 0 }),
  });
  const { structuredContent } = await tool.call({ times: 2 }, context);
  assert.deepEqual(structuredContent, { greeting: 'hello hello', room: 7 });
});

for (const [args, problem] of [
  [{ times: 'twice' }, '`times` must be an integer'],
  [{ times: -1 }, 'nobody is greeted less than never'],
] as const) {
  test(`invalid arguments never reach the tool, and it is reported them: ${problem}`, async () => {
    const told: unknown[] = [];
    const tool: Tool<Guest> = defineTool({
      name: 'greet',
      title: 'Greet',
      description: 'Greets a guest',
      inputSchema: Type.Object({ times: Type.Integer() }),
      annotations: {},
      validate: ({ times }) => (times < 0 ? 'nobody is greeted less than never' : undefined),
      onInvalidArguments: async (problem, given, { caller }: ToolContext<Guest>) => {
        told.push([problem, given, caller.room]);
        return errorResult({ refused: problem });
      },
      call: async () => assert.fail('the tool was called'),
    });
    assert.deepEqual(await tool.call(args, context), errorResult({ refused: problem }));
    assert.deepEqual(told, [[problem, args, 7]]);
  });
}

test('a refusal may say more than its object, and never has structured content', () => {
  assert.deepEqual(errorResult({ error: 'x' }, 'what to do now'), {
    content: [
      { type: 'text', text: '{"error":"x"}' },
      { type: 'text', text: 'what to do now' },
    ],
    isError: true,
  });
});
