/**
 * The settings of the person's own editor, as far as notes that the server creates follow them. The
 * server reads these files, which no tool shows. A value that is no valid path is ignored.
 */
import { readStoredFile } from '../files/stored-file.ts';
import { pathProblem } from '../files/vault-path.ts';
import { DEFAULT_LINK_STYLE, type LinkStyle } from '../links/new-link.ts';
import { readLogseqConfig } from './logseq-config.ts';

export interface VaultHabits {
  readonly editor?: 'obsidian' | 'logseq';
  readonly daily?: DailyHabits | undefined;
  readonly templates: TemplateHabits;
  /** Empty for the vault root; begins with `./` if it is relative to the note. */
  readonly attachments?: string | undefined;
  readonly links: LinkStyle;
}

export interface DailyHabits {
  /** Empty for the vault root. */
  readonly folder: string;
  /** In the notation of moment.js. */
  readonly format: string;
  /** The path of a note. */
  readonly template?: string | undefined;
}

export interface TemplateHabits {
  readonly folder?: string | undefined;
  readonly dateFormat: string;
  readonly timeFormat: string;
}

const DEFAULT_DATE_FORMAT = 'YYYY-MM-DD';
const DEFAULT_TIME_FORMAT = 'HH:mm';
const MAX_SETTINGS_BYTES = 1024 * 1024;
const MAX_FORMAT_LENGTH = 200;

type Settings = Readonly<Record<string, unknown>>;

/** Reads them anew, because they may change at any time. */
export async function readHabits({ root }: { readonly root: string }): Promise<VaultHabits> {
  const [app, daily, templates] = await Promise.all(
    ['app', 'daily-notes', 'templates'].map((name) => settings(root, `.obsidian/${name}.json`)),
  );
  if (app !== undefined || daily !== undefined || templates !== undefined) {
    return obsidianHabits(app ?? {}, daily, templates ?? {});
  }
  const config = await text(root, 'logseq/config.edn');
  return { ...NO_HABITS, ...(config !== undefined && readLogseqConfig(config)) };
}

const NO_HABITS: VaultHabits = {
  templates: { dateFormat: DEFAULT_DATE_FORMAT, timeFormat: DEFAULT_TIME_FORMAT },
  links: DEFAULT_LINK_STYLE,
};

function obsidianHabits(app: Settings, daily: Settings | undefined, templates: Settings) {
  return {
    editor: 'obsidian' as const,
    daily: daily && dailyHabits(daily),
    templates: {
      folder: folderOf(templates.folder) || undefined,
      dateFormat: formatOf(templates.dateFormat, DEFAULT_DATE_FORMAT),
      timeFormat: formatOf(templates.timeFormat, DEFAULT_TIME_FORMAT),
    },
    attachments: attachmentsOf(app.attachmentFolderPath),
    links: {
      path:
        app.newLinkFormat === 'relative' || app.newLinkFormat === 'absolute'
          ? app.newLinkFormat
          : DEFAULT_LINK_STYLE.path,
      markdown: app.useMarkdownLinks === true,
    } as const,
  };
}

function dailyHabits({ folder: given = '', format, template }: Settings): DailyHabits | undefined {
  const [folder, note] = [folderOf(given), folderOf(template)];
  if (folder === undefined) return undefined;
  return {
    folder,
    format: formatOf(format, DEFAULT_DATE_FORMAT),
    template: note ? `${note.replace(/\.md$/i, '')}.md` : undefined,
  };
}

function attachmentsOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\.(?:\/|$)/.test(value)) return folderOf(value);
  const below = folderOf(value.slice(1));
  return below === undefined ? undefined : `./${below}`;
}

/** A valid path without slashes at its ends; empty for the vault root. */
function folderOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const folder = value
    .trim()
    .split('/')
    .filter((name) => name !== '')
    .join('/');
  return folder === '' || pathProblem(folder) === undefined ? folder : undefined;
}

function formatOf(value: unknown, otherwise: string): string {
  const isFormat = typeof value === 'string' && value.trim() !== '';
  return isFormat && value.length <= MAX_FORMAT_LENGTH ? value : otherwise;
}

async function settings(root: string, path: string): Promise<Settings | undefined> {
  const content = await text(root, path);
  if (content === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(content);
    return value !== null && typeof value === 'object' ? (value as Settings) : {};
  } catch {
    // Obsidian is writing the file, or it is damaged.
    return {};
  }
}

/** Undefined also for a file that cannot be read: notes are created without the settings, too. */
async function text(root: string, path: string): Promise<string | undefined> {
  const file = await readStoredFile(root, path, MAX_SETTINGS_BYTES).catch(() => undefined);
  return file?.bytes.toString('utf8').replace(/^\ufeff/, '');
}
