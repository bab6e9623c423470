/**
 * How each client is told about this server: what to do, and the texts to copy. Everything is
 * made of the name of the program and its public URL, and of nothing that a request says.
 */
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

export function connectWays(name: string, publicUrl: string): readonly Way[] {
  const url = `${publicUrl}/mcp`;
  const remote = remoteArguments(publicUrl, url);
  const address: Snippet = { caption: 'Connector URL', text: url };
  const reach = publicUrl.startsWith('https:')
    ? 'It connects from the internet, so this address must be reachable from there.'
    : 'It connects from the internet and only to https, so it cannot reach this address.';
  return [
    {
      client: 'Claude',
      kinds: 'web, desktop, terminal',
      steps: [
        `On the web and in the desktop app: in Settings, open Connectors, choose “Add custom connector” and paste this address. ${reach}`,
        address,
        'Claude Code:',
        { caption: 'Terminal', text: `claude mcp add --transport http ${name} ${shellWord(url)}` },
        'The desktop app, for a server that only this computer can reach:',
        {
          caption: 'claude_desktop_config.json',
          text: json({ mcpServers: { [name]: { command: 'npx', args: remote } } }),
        },
      ],
    },
    {
      client: 'ChatGPT',
      kinds: 'web',
      steps: [
        `In Settings, open Apps & Connectors and turn on developer mode under its advanced settings. Then create a connector with this address and OAuth. ${reach}`,
        address,
      ],
    },
    {
      client: 'Cursor',
      kinds: 'editor',
      steps: [
        'For all projects; for one project, the file is .cursor/mcp.json in its folder:',
        {
          caption: '~/.cursor/mcp.json',
          text: json({ mcpServers: { [name]: { url } } }),
        },
        'Or open this link in a browser on the computer that has Cursor:',
        { caption: 'Install link', text: cursorLink(name, url) },
      ],
    },
    {
      client: 'VS Code',
      kinds: 'editor',
      steps: [
        'For all projects:',
        {
          caption: 'Terminal',
          text: `code --add-mcp ${shellWord(JSON.stringify({ name, type: 'http', url }))}`,
        },
        'For one project:',
        {
          caption: '.vscode/mcp.json',
          text: json({ servers: { [name]: { type: 'http', url } } }),
        },
      ],
    },
    {
      client: 'mcp-remote',
      kinds: 'bridge',
      steps: [
        'For a client that can only start programs on its own computer. It needs Node.js.',
        { caption: 'Terminal', text: ['npx', ...remote.map(shellWord)].join(' ') },
      ],
    },
    {
      client: 'Any other client',
      kinds: 'JSON',
      steps: [
        'The server speaks Streamable HTTP. Clients register themselves and sign in with OAuth; there is no key to enter.',
        {
          caption: 'The usual form',
          text: json({ mcpServers: { [name]: { type: 'http', url } } }),
        },
      ],
    },
  ];
}

/** mcp-remote takes plain http for these two hosts only, unless it is told to. */
function remoteArguments(publicUrl: string, url: string): readonly string[] {
  const { protocol, hostname } = new URL(publicUrl);
  const isPlain = protocol === 'http:' && hostname !== 'localhost' && hostname !== '127.0.0.1';
  return ['-y', 'mcp-remote', url, ...(isPlain ? ['--allow-http'] : [])];
}

function cursorLink(name: string, url: string): string {
  const config = Buffer.from(JSON.stringify({ url })).toString('base64');
  const query = new URLSearchParams({ name, config });
  return `cursor://anysphere.cursor-deeplink/mcp/install?${query}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
