/**
 * The tools, prompts and resources that the official conformance suite asks a server for.
 * They exist in this test only; what needs tasks or log messages has no counterpart here and is in the
 * expected failures. What asks the client is in `elicitation-fixtures.ts`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../../src/core/http/caller.ts';
import type { ContentBlock } from '../../src/mcp/content.ts';
import { MISSING_CLIENT_CAPABILITY, RpcError } from '../../src/mcp/jsonrpc.ts';
import type { PromptProvider, ResourceProvider } from '../../src/mcp/provider.ts';
import { type Schema, Type } from '../../src/mcp/schema.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../../src/mcp/tool.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };

export function conformanceTools(toolsChanged: () => void): readonly Tool[] {
  return [
    fixed('test_simple_text', text('This is a simple text response for testing.')),
    fixed('test_image_content', image),
    fixed('test_audio_content', { type: 'audio', data: WAV, mimeType: 'audio/wav' }),
    fixed(
      'test_embedded_resource',
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ),
    fixed(
      'test_multiple_content_types',
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
    plain('test_error_handling', async () => ({
      content: [text('This tool intentionally returns an error for testing')],
      isError: true,
    })),
    plain('test_tool_with_progress', async (context) => {
      for (const done of [0, 50, 100]) {
        context.progress(done, 100);
        await pause(5);
      }
      return { content: [text('done')] };
    }),
    // A server that has no use for a client's capabilities never asks for one; the shape and
    // the status of the refusal are the endpoint's all the same.
    plain('test_missing_capability', async () => {
      throw new RpcError(MISSING_CLIENT_CAPABILITY, 'sampling is needed', {
        data: { requiredCapabilities: { sampling: {} } },
        status: 400,
      });
    }),
    fixed('test_streaming_elicitation', text('answered without asking')),
    fixed('test_logging_tool', text('nothing logged')),
    plain('test_trigger_tool_change', async () => {
      toolsChanged();
      return { content: [text('changed')] };
    }),
    defineTool({
      name: 'test_custom_headers',
      title: 'Mirrored argument',
      description: 'An argument that a header repeats',
      inputSchema: Type.Object({
        region: Type.Optional(Type.String({ 'x-mcp-header': 'Region' })),
      }),
      annotations: {},
      call: async ({ region = '' }) => ({ content: [text(region)] }),
    }),
    // The suite asks only that the schema reaches the client whole; our own check knows less.
    {
      name: 'json_schema_2020_12_tool',
      title: 'JSON Schema 2020-12',
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: JSON_SCHEMA_2020_12 as Schema,
      annotations: {},
      call: async () => ({ content: [text('valid')] }),
    },
  ];
}

export const conformanceResources: ResourceProvider<Caller> = {
  list: async () => ({
    resources: [
      {
        uri: 'test://static-text',
        name: 'static-text',
        description: 'A text',
        mimeType: 'text/plain',
      },
      {
        uri: 'test://static-binary',
        name: 'static-binary',
        description: 'A picture',
        mimeType: 'image/png',
      },
    ],
  }),
  templates: async () => [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Data by id',
      mimeType: 'application/json',
    },
  ],
  read: async (uri) => {
    if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: PNG }];
    if (uri === 'test://static-text') {
      const content = 'This is the content of the static text resource.';
      return [{ uri, mimeType: 'text/plain', text: content }];
    }
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }];
  },
  watch: () => () => {},
};

export const conformancePrompts: PromptProvider<Caller> = {
  list: async () => [
    { name: 'test_simple_prompt', description: 'A simple prompt' },
    {
      name: 'test_prompt_with_arguments',
      description: 'A prompt with arguments',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
    },
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt with a resource',
      arguments: [{ name: 'resourceUri', description: 'What to embed', required: true }],
    },
    { name: 'test_prompt_with_image', description: 'A prompt with an image' },
  ],
  get: async (name, args) => {
    switch (name) {
      case 'test_simple_prompt':
        return said(text('This is a simple prompt for testing.'));
      case 'test_prompt_with_arguments':
        return said(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`));
      case 'test_prompt_with_embedded_resource':
        return said(
          embedded(args.resourceUri!, 'text/plain', 'Embedded resource content for testing.'),
          text('Please process the embedded resource above.'),
        );
      case 'test_prompt_with_image':
        return said(image, text('Please analyze the image above.'));
      default:
        return undefined;
    }
  },
};

const JSON_SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

function plain(name: string, call: (context: ToolContext) => Promise<ToolResult>): Tool {
  return defineTool({
    name,
    title: name,
    description: `Fixture of the conformance suite: ${name}`,
    inputSchema: Type.Object({}),
    annotations: {},
    call: (_args, context) => call(context),
  });
}

function fixed(name: string, ...content: readonly ContentBlock[]): Tool {
  return plain(name, async () => ({ content }));
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

function embedded(uri: string, mimeType: string, value: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}

function said(...contents: readonly ContentBlock[]) {
  return { messages: contents.map((content) => ({ role: 'user' as const, content })) };
}
