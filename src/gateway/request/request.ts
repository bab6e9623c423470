/** What the model asks for, and the forms it takes on its way out. */
import { type Static, Type } from '../../mcp/schema.ts';
import type { RequestUrl } from './request-url.ts';

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** The arguments of `http_request`, as the model sees and sends them. */
export const RequestArguments = Type.Object(
  {
    url: Type.String({ description: 'Absolute URL, including scheme and host.' }),
    method: Type.Optional(Type.String({ description: 'HTTP method. Default GET.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'Request headers. Credentials and other reserved headers are refused: the gateway attaches them.',
      }),
    ),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]), {
        description: 'Query parameters; they replace those of the same name in the URL.',
      }),
    ),
    body: Type.Optional(Type.String({ description: 'Raw request body, at most 1 MiB.' })),
  },
  { additionalProperties: false },
);
export type RequestArguments = Static<typeof RequestArguments>;

/** Text where it is UTF-8; bytes only through the HTTP door. */
export type RequestBody = string | Buffer;

/** A request whose URL has been read and whose method is upper case; nothing is attached yet. */
export interface ModelRequest {
  readonly url: RequestUrl;
  readonly method: string;
  /** As the model wrote them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
  /** A redirect turned it into a GET: it has no body, and body injection does not apply. */
  readonly becameGet: boolean;
}

/** What goes on the wire, credentials included. It exists between injection and sending only. */
export interface OutboundRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly body: RequestBody | undefined;
}

export function headerPairs(headers: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: headers.length / 2 }, (_, at) => [
    headers[2 * at]!,
    headers[2 * at + 1]!,
  ]);
}
