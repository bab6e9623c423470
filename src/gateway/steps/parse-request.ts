/**
 * Step 2. Accepts only an absolute http or https URL without credentials, without `..` and without
 * ambiguity. Parameters of `query` replace those of the same name.
 */
import { setParameters } from '../request/query-string.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest, RequestArguments } from '../request/request.ts';
import { parseRequestUrl, queryProblem } from '../request/request-url.ts';

const MAX_QUERY_CHARACTERS = 16_384;

export function parseRequest(args: RequestArguments): ModelRequest {
  const parsed = parseRequestUrl(args.url);
  if ('problem' in parsed) throw new Refusal('invalid_url', parsed.problem);
  const query = args.query ? setParameters(parsed.query, args.query) : parsed.query;
  if (query.length > MAX_QUERY_CHARACTERS) {
    throw new Refusal('invalid_url', `the query is longer than ${MAX_QUERY_CHARACTERS} characters`);
  }
  const problem = queryProblem(query);
  if (problem !== undefined) throw new Refusal('invalid_url', problem);
  return {
    url: query === parsed.query ? parsed : { ...parsed, query },
    method: (args.method ?? 'GET').toUpperCase(),
    headers: args.headers ?? {},
    body: args.body,
    becameGet: false,
  };
}
