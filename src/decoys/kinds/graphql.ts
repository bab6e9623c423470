/**
 * `/graphql`: an endpoint that tells its schema to anybody, and refuses what it describes. Only the names
 * of a query's first fields are read, and no more than a few of them.
 */
import type { Answer } from '../kit/answer.ts';
import { cwe, WORDLIST } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';

const TAG = 'graphql';
const PATHS = new Set([
  ...['/graphql', '/api/graphql', '/graphql/', '/v1/graphql', '/graphql/v1', '/query', '/gql'],
  ...['/api/graphql/v1', '/api/gql', '/graphql/console', '/graphiql', '/playground'],
]);
const PAGES = new Set(['/graphiql', '/playground', '/graphql/console']);
const MAX_FIELDS = 50;
const MAX_QUERIES = 10;
const FIELDS: Readonly<Record<string, string>> = {
  me: 'User',
  users: '[User!]!',
  user: 'User',
  orders: '[Order!]!',
  apiKeys: '[ApiKey!]!',
};

export const graphql: Kind = {
  tag: TAG,
  category: 'api-enumeration',
  intention: 'learn the schema of an API, and call what it lets anybody call',
  technique: WORDLIST,
  references: [cwe(200)],
  corpus: [
    {
      target: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{apiKeys{token}}"}',
      expect: /^\{"data":\{"apiKeys":\[\{"id":"1","owner":"[^"]+","token":"hp_live_[a-z2-7]{32}"/,
    },
  ],
  create,
};

function create({ persona, tokens }: Kit): Decoy {
  return {
    methods: ['GET', 'POST'],
    match: (probe) => {
      const { method, path, query } = probe;
      if (!PATHS.has(path)) return undefined;
      if (method === 'POST') {
        return { tag: TAG, readsBody: true, answer: (body) => answerBody(body, probe) };
      }
      const asked = new URLSearchParams(query).get('query');
      return {
        tag: TAG,
        answer: () => (asked === null ? page(probe) : json(answerQuery(asked, probe))),
      };
    },
  };

  function answerBody(body: string, probe: Probe): Answer {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return json(
        failure('POST body missing, invalid Content-Type, or JSON object has no keys.'),
        400,
      );
    }
    if (!Array.isArray(value)) return json(answerOne(value, probe));
    return json(value.slice(0, MAX_QUERIES).map((one) => answerOne(one, probe)));
  }

  function answerOne(value: unknown, probe: Probe): Json {
    const { query } = (value ?? {}) as { query?: unknown };
    if (typeof query === 'string') return answerQuery(query, probe);
    return failure('GraphQL operations must contain a non-empty `query`.');
  }

  function answerQuery(query: string, probe: Probe): Json {
    if (/__schema\s*\{\s*directive\s*\}/.test(query)) return failure(SUGGESTION);
    if (/__schema\b/.test(query)) return { data: { __schema: schema() } };
    if (/@skip(?!\s*\()/.test(query)) return failure(MISSING_ARGUMENT);
    const [unknown] = query.match(/@(?!skip\b|include\b|deprecated\b)\w{1,32}/) ?? [];
    if (unknown !== undefined) return failure(`Unknown directive "${unknown}".`);
    const isMutation = /^\s*mutation\b/.test(query);
    const data: Record<string, unknown> = {};
    for (const { alias, name } of fieldsOf(query)) {
      if (name === '__typename') data[alias] = isMutation ? 'Mutations' : 'Query';
      else if (!isMutation && Object.hasOwn(FIELDS, name)) data[alias] = valueFor(name, probe);
      else return failure(unknownField(name, isMutation ? 'Mutations' : 'Query'));
    }
    return Object.keys(data).length > 0 ? { data } : failure('Syntax Error: Unexpected <EOF>.');
  }

  function valueFor(name: string, { client, day }: Probe): unknown {
    const { admin, developer } = persona;
    switch (name) {
      case 'users':
        return [admin, developer].map(({ email }, at) => ({ id: String(at + 1), email }));
      case 'apiKeys':
        return [
          {
            id: '1',
            owner: developer.email,
            token: tokens.issue('graphqlToken', client.address, day),
          },
        ];
      case 'orders':
        return [];
      default:
        return null;
    }
  }

  function page({ path }: Probe): Answer {
    const name = PAGES.has(path) && path !== '/graphiql' ? 'GraphQL Playground' : 'GraphiQL';
    const body = `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8" />\n<title>${name}</title>\n</head>\n<body>\n<div id="${name.toLowerCase()}">Loading ${name}...</div>\n<script>window.endpoint = "/graphql"; window.title = "${persona.title}";</script>\n</body>\n</html>\n`;
    return {
      status: 200,
      headers: ['Content-Type', 'text/html; charset=utf-8'],
      body,
      honeytokens: 0,
    };
  }
}

type Json = Readonly<Record<string, unknown>>;

const MISSING_ARGUMENT =
  'Directive "@skip" argument "if" of type "Boolean!" is required, but it was not provided.';

const SUGGESTION = 'Cannot query field "directive" on type "__Schema". Did you mean "directives"?';

/** The fields of the first level, with their aliases. */
function fieldsOf(query: string): { alias: string; name: string }[] {
  const start = query.indexOf('{');
  const fields: { alias: string; name: string }[] = [];
  let depth = 0;
  let level = '';
  for (const character of query.slice(start < 0 ? query.length : start, start + 4_096)) {
    if (character === '{' || character === '(') depth++;
    if (depth === 1 && character !== '{') level += character;
    if (character === '}' || character === ')') depth--;
  }
  for (const [, first = '', second] of level.matchAll(
    /([_A-Za-z]\w*)(?:\s*:\s*([_A-Za-z]\w*))?/g,
  )) {
    if (fields.length < MAX_FIELDS) fields.push({ alias: first, name: second ?? first });
  }
  return fields;
}

function unknownField(name: string, type: string): string {
  const near = Object.keys(FIELDS).find((known) => known[0] === name[0]?.toLowerCase()) ?? 'users';
  const hint = type === 'Query' ? ` Did you mean "${near}"?` : '';
  return `Cannot query field "${name.slice(0, 64)}" on type "${type}".${hint}`;
}

function failure(message: string): Json {
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
  return { errors: [{ message, locations: [{ line: 1, column: 2 }], extensions }] };
}

function schema(): Json {
  const named = (kind: string, name: string) => ({ kind, name, ofType: null });
  const text = named('SCALAR', 'String');
  const type = (name: string, fields: readonly string[]) => ({
    kind: 'OBJECT',
    name,
    description: null,
    fields: fields.map((field) => ({ ...EMPTY_FIELD, name: field, type: text })),
    inputFields: null,
    interfaces: [],
    enumValues: null,
    possibleTypes: null,
  });
  return {
    queryType: { name: 'Query' },
    mutationType: { name: 'Mutations' },
    subscriptionType: null,
    types: [
      type('Query', Object.keys(FIELDS)),
      type('Mutations', ['login', 'createApiKey']),
      type('User', ['id', 'email']),
      type('Order', ['id', 'total']),
      type('ApiKey', ['id', 'owner', 'token']),
    ],
    directives: [],
  };
}

const EMPTY_FIELD = { description: null, args: [], isDeprecated: false, deprecationReason: null };

function json(value: unknown, status = 200): Answer {
  const body = `${JSON.stringify(value)}\n`;
  const honeytokens = body.match(/hp_live_/g)?.length ?? 0;
  return {
    status,
    headers: ['Content-Type', 'application/json; charset=utf-8'],
    body,
    honeytokens,
  };
}
