/** Where people are told that a request waits for their approval: `server.notify`. */
import type { ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { NOTIFY_FORMATS, type ServerConfig } from './config.ts';
import { readSecret } from './read-secret.ts';

const URL_FORM = 'an absolute http or https URL without user info';

/** The URL is a secret: that of a webhook lets anybody post who knows it. */
export function readNotify(node: YamlNode, sources: ValueSources): ServerConfig['notify'] {
  const fields = node.fields(['url', 'format']);
  if (!fields) return undefined;
  const format = fields.format
    ? fields.format.parsed(
        (text) => NOTIFY_FORMATS.find((known) => known === text),
        `one of ${NOTIFY_FORMATS.join(', ')}`,
      )
    : 'json';
  if (!fields.url)
    return node.problem('url is missing; give the URL of a webhook or of an ntfy topic');
  const url = readSecret('notify url', fields.url, sources);
  if (url && !url.isHttpUrl) return fields.url.problem(`must be ${URL_FORM}`);
  return url && format && { url, format };
}
