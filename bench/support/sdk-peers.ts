/**
 * The gateway's two tools on the official MCP SDK, with the gateway's own words and answer, twice:
 * as the SDK's guides have such a server built, and with the least that can be called one. Neither
 * counts calls, limits them or writes a log.
 */
import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  createMcpHandler,
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import * as z from 'zod/v4';

/** What the gateway itself answered to `tools/list` and `list_targets`, and to whom. */
export interface ToolsOfGateway {
  readonly accessToken: string;
  readonly tools: readonly {
    readonly name: string;
    readonly inputSchema: JsonSchemaType;
    readonly outputSchema: JsonSchemaType;
  }[];
  readonly targets: Record<string, unknown>;
}

/**
 * A factory that declares the tools with schemas of zod, guards for Host and Origin before it, and
 * the SDK's check of the bearer token, since whose targets are listed depends on who asks.
 */
export function asItsGuidesSay({ accessToken, tools, targets }: ToolsOfGateway): RequestListener {
  const [listTargets, httpRequest] = tools.map(({ inputSchema, outputSchema, ...words }) => words);
  const targetsOf = new Map([['bench', targets]]);
  const isHostAllowed = localhostHostValidation();
  const isOriginAllowed = localhostOriginValidation();
  const verifier = verifierOf(accessToken);
  const handler = toNodeHandler(
    createMcpHandler(({ authInfo }) => {
      const server = new McpServer({ name: 'bench', version: '1.0.0' });
      server.registerTool(
        'list_targets',
        { ...listTargets, inputSchema: z.strictObject({}), outputSchema: targetList() },
        async () => answerOf(targetsOf.get(authInfo!.clientId)!),
      );
      server.registerTool(
        'http_request',
        { ...httpRequest, inputSchema: requestArguments(), outputSchema: requestOutcome() },
        async () => answerOf({}),
      );
      return server;
    }),
  );
  return async (request, response) => {
    if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return;
    try {
      const auth = await verifyBearerToken(request.headers.authorization, { verifier });
      await handler(Object.assign(request as NodeIncomingMessageLike, { auth }), response);
    } catch (error) {
      const challenge = bearerAuthChallengeResponse(error);
      response.writeHead(challenge.status, Object.fromEntries(challenge.headers));
      response.end(await challenge.text());
    }
  };
}

/** Anyone who asks, and with schemas that are read once for all calls. */
export function withTheLeast({ tools, targets }: ToolsOfGateway): RequestListener {
  const declared = tools.map(({ name, inputSchema, outputSchema, ...words }) => ({
    name,
    config: {
      ...words,
      inputSchema: fromJsonSchema(inputSchema),
      outputSchema: fromJsonSchema(outputSchema),
    },
  }));
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'bench', version: '1.0.0' });
      for (const { name, config } of declared) {
        server.registerTool(name, config, async () => answerOf(targets));
      }
      return server;
    }),
  );
  return (request, response) => void handler(request as NodeIncomingMessageLike, response);
}

function verifierOf(accessToken: string) {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  const known = new Map<string, Omit<AuthInfo, 'token'>>([
    [hashOf(accessToken), { clientId: 'bench', scopes: ['mcp'], expiresAt }],
  ]);
  return {
    verifyAccessToken: async (token: string): Promise<AuthInfo> => {
      const info = known.get(hashOf(token));
      if (!info) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown token');
      return { token, ...info };
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function answerOf(structuredContent: Record<string, unknown>) {
  const text = JSON.stringify(structuredContent);
  return { content: [{ type: 'text' as const, text }], structuredContent };
}

function targetList() {
  return z.object({
    targets: z.array(
      z.object({
        id: z.string(),
        description: z.string(),
        base_url: z.string(),
        methods: z.array(z.string()),
        paths: z.array(z.string()),
        rate_limit: z.string(),
      }),
    ),
    allow_any: z.boolean(),
  });
}

function requestArguments() {
  const scalar = z.union([z.string(), z.number(), z.boolean()]);
  return z.strictObject({
    url: z.string(),
    method: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    query: z.record(z.string(), z.union([scalar, z.array(scalar)])).optional(),
    body: z.string().optional(),
  });
}

function requestOutcome() {
  return z.object({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    body_encoding: z.literal('base64').optional(),
    truncated: z.boolean(),
    target: z.union([z.string(), z.null()]),
    duration_ms: z.int(),
  });
}
