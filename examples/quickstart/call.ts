/**
 * `npm run -s call -- <server> <user> <tool> [arguments]`: one tool call from a shell, with the
 * sign-in that a client would do before. The password comes from standard input, so that it is in
 * no argument; a terminal would show it. A refusal is printed like an answer and ends with code 1.
 */
import { text } from 'node:stream/consumers';
import { McpClient } from './mcp-client.ts';

const USAGE = `usage: npm run -s call -- <server> <user> <tool> [arguments as JSON] < password
such as: npm run -s call -- http://127.0.0.1:2019 demo list_targets < data/password`;

const [server, user, tool, args = '{}', ...more] = process.argv.slice(2);
const isIncomplete = server === undefined || user === undefined || tool === undefined;
if (isIncomplete || more.length > 0 || process.stdin.isTTY) {
  console.error(USAGE);
  process.exit(2);
}
try {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const input = parse(args);
  const client = await McpClient.signIn(server.replace(/\/$/, ''), user, password);
  const { isError, value } = await client.call(tool, input);
  console.log(isError ? value.text : JSON.stringify(value, undefined, 2));
  process.exitCode = isError ? 1 : 0;
} catch (error) {
  console.error(reason(error as Error));
  process.exitCode = 1;
}

/** `fetch` names a refused connection as the cause of a TypeError. */
function reason({ name, message, cause }: Error): string {
  const code = (cause as { code?: string } | undefined)?.code;
  if (code !== undefined) return `${server} does not answer (${code}); is it running?`;
  if (name === 'TypeError' || name === 'SyntaxError') {
    return `${server} is no server of these; give its address without a path`;
  }
  return message;
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new Error(`the arguments are not JSON: ${(error as Error).message}`);
  }
}
