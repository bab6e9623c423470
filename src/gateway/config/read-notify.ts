/** Reads `server.notify`: where notifications of requests that wait for approval are sent. */
import type { ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { NOTIFY_FORMATS, type ServerConfig } from './config.ts';
import { readSecret } from './read-secret.ts';

const URL_FORM = 'an absolute http or https URL without user info';

/** The URL is a secret: anyone who knows the URL of a webhook can post to it. */
export function readNotify(node: YamlNode, sources: ValueSources): ServerConfig['notify'] {
  const read = node.read(
    {
      url: (item) => readSecret('notify url', item, sources),
      format: (item) => item.oneOf(NOTIFY_FORMATS),
    },
    { url: 'give the URL of a webhook or of an ntfy topic' },
  );
  if (!read?.url) return undefined;
  if (!read.url.isHttpUrl) return read.nodes.url?.problem(`must be ${URL_FORM}`);
  return { url: read.url, format: read.format ?? 'json' };
}
