/**
 * How to connect each client: what to do, and the texts to copy. Depends only on the name of the program
 * and its public URL, never on the request.
 */
import { isLoopbackName } from '../net/loopback-name.ts';
import { shellWord } from '../shell-word.ts';

export interface Snippet {
  /** What the text is, or where it belongs. */
  readonly caption: string;
  readonly text: string;
}

export interface Way {
  readonly client: string;
  /** The kinds of client, in a few words. */
  readonly kinds: string;
  readonly steps: readonly (string | Snippet)[];
}

const REACH = 'It connects from the internet, so this address must be reachable from there.';
const OPEN_WEBUI_REACH =
  'Open WebUI connects from its own machine or container, so this address must be reachable from there; in a container, 127.0.0.1 and localhost are the container itself.';
const UNABLE = 'connects from the internet and only to https, so it cannot reach this address.';

/** Those that cannot reach a server on this computer or without https come last, and say so. */
export function connectWays(name: string, publicUrl: string): readonly Way[] {
  const local = localWays(name, publicUrl);
  if (isReachable(publicUrl)) return [claude(name, publicUrl), chatGpt(publicUrl), ...local];
  return [
    claudeHere(name, publicUrl),
    ...local,
    { client: 'ChatGPT', kinds: 'web', steps: [`ChatGPT ${UNABLE}`] },
  ];
}

function claude(name: string, publicUrl: string): Way {
  return {
    client: 'Claude',
    kinds: 'web, desktop, terminal',
    steps: [
      `On the web and in the desktop app: in Settings, open Connectors, choose “Add custom connector” and paste this address. ${REACH}`,
      connectorUrl(publicUrl),
      'Claude Code:',
      claudeCode(name, publicUrl),
      'The desktop app, for a server that only this computer can reach:',
      claudeDesktop(name, publicUrl),
    ],
  };
}

function claudeHere(name: string, publicUrl: string): Way {
  return {
    client: 'Claude',
    kinds: 'desktop, terminal',
    steps: [
      'Claude Code:',
      claudeCode(name, publicUrl),
      'The desktop app:',
      claudeDesktop(name, publicUrl),
      `On the web, Claude ${UNABLE}`,
    ],
  };
}

function claudeCode(name: string, publicUrl: string): Snippet {
  return terminal(`claude mcp add --transport http ${name} ${shellWord(`${publicUrl}/mcp`)}`);
}

function claudeDesktop(name: string, publicUrl: string): Snippet {
  const server = { command: 'npx', args: remoteArguments(publicUrl) };
  return json('claude_desktop_config.json', { mcpServers: { [name]: server } });
}

function chatGpt(publicUrl: string): Way {
  return {
    client: 'ChatGPT',
    kinds: 'web',
    steps: [
      `In Settings, open Apps & Connectors and turn on developer mode under its advanced settings. Then create a connector with this address and OAuth. ${REACH}`,
      connectorUrl(publicUrl),
    ],
  };
}

/** Clients that run on the user's own computer. */
function localWays(name: string, publicUrl: string): readonly Way[] {
  const url = `${publicUrl}/mcp`;
  return [
    {
      client: 'Cursor',
      kinds: 'editor',
      steps: [
        'For all projects; for one project, the file is .cursor/mcp.json in its folder:',
        json('~/.cursor/mcp.json', { mcpServers: { [name]: { url } } }),
        'Or open this link in a browser on the computer that has Cursor:',
        { caption: 'Install link', text: cursorLink(name, url) },
      ],
    },
    {
      client: 'VS Code',
      kinds: 'editor',
      steps: [
        'For all projects:',
        terminal(`code --add-mcp ${shellWord(JSON.stringify({ name, type: 'http', url }))}`),
        'For one project:',
        json('.vscode/mcp.json', { servers: { [name]: { type: 'http', url } } }),
      ],
    },
    {
      client: 'Windsurf',
      kinds: 'editor',
      steps: [
        'Add this, then refresh the servers in the settings of Cascade:',
        json('~/.codeium/windsurf/mcp_config.json', { mcpServers: { [name]: { serverUrl: url } } }),
      ],
    },
    {
      client: 'Codex',
      kinds: 'terminal, editor, desktop',
      steps: [
        'The second command opens the sign-in page:',
        terminal(`codex mcp add ${name} --url ${shellWord(url)}\ncodex mcp login ${name}`),
        'The first one is the same as this:',
        {
          caption: '~/.codex/config.toml',
          // A JSON string is a basic string of TOML.
          text: `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}`,
        },
      ],
    },
    {
      client: 'Gemini CLI',
      kinds: 'terminal',
      steps: [
        `Run this, then start gemini and sign in with the command /mcp auth ${name}:`,
        terminal(`gemini mcp add --scope user --transport http ${name} ${shellWord(url)}`),
        'Or write it into the file. The key is httpUrl; the key url is for another transport.',
        json('~/.gemini/settings.json', { mcpServers: { [name]: { httpUrl: url } } }),
      ],
    },
    {
      client: 'Open WebUI',
      kinds: 'self-hosted',
      steps: [
        `In Admin Settings, open External Tools and add a server: type MCP (Streamable HTTP), authentication OAuth 2.1, and this address. Press Register Client, then Save. Each user signs in when they turn the tool on in a chat. ${OPEN_WEBUI_REACH}`,
        { caption: 'Server URL', text: url },
      ],
    },
    {
      client: 'mcp-remote',
      kinds: 'bridge',
      steps: [
        'For a client that can only start programs on its own computer. It needs Node.js.',
        terminal(['npx', ...remoteArguments(publicUrl).map(shellWord)].join(' ')),
      ],
    },
    {
      client: 'Any other client',
      kinds: 'JSON',
      steps: [
        'The server speaks Streamable HTTP. Clients register themselves and sign in with OAuth; there is no key to enter.',
        json('The usual form', { mcpServers: { [name]: { type: 'http', url } } }),
      ],
    },
  ];
}

function connectorUrl(publicUrl: string): Snippet {
  return { caption: 'Connector URL', text: `${publicUrl}/mcp` };
}

function isReachable(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !isLoopbackName(hostname);
}

/** mcp-remote accepts plain http only for two hosts, or with this flag. */
function remoteArguments(publicUrl: string): readonly string[] {
  const { protocol, hostname } = new URL(publicUrl);
  const isPlain = protocol === 'http:' && hostname !== 'localhost' && hostname !== '127.0.0.1';
  return ['-y', 'mcp-remote', `${publicUrl}/mcp`, ...(isPlain ? ['--allow-http'] : [])];
}

function cursorLink(name: string, url: string): string {
  const config = Buffer.from(JSON.stringify({ url })).toString('base64');
  const query = new URLSearchParams({ name, config });
  return `cursor://anysphere.cursor-deeplink/mcp/install?${query}`;
}

function terminal(text: string): Snippet {
  return { caption: 'Terminal', text };
}

function json(caption: string, value: unknown): Snippet {
  return { caption, text: JSON.stringify(value, null, 2) };
}
