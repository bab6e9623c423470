/** The settings of search by meaning. */
import { isAbsolute } from 'node:path';
import type { EnvironmentReader } from '../core/config/environment.ts';
import { quoteUrl } from '../core/config/problems.ts';
import { Secret } from '../core/secrets/secret.ts';
import type { EmbeddingSettings } from './embeddings/model/embedding-settings.ts';
import {
  ENDPOINT_FORM,
  endpointUrlOf,
  unencryptedProblem,
} from './embeddings/remote/endpoint-url.ts';

const OTHERS = ['NOTES_EMBEDDINGS_MODEL', 'NOTES_EMBEDDINGS_KEY', 'NOTES_EMBEDDINGS_EXCLUDE'];
const MAX_EXCLUDED = 50;
const MAX_GLOB_LENGTH = 200;

/** Undefined while it is off. */
export function readEmbeddings(reader: EnvironmentReader): EmbeddingSettings | undefined {
  const kind = reader.text('NOTES_EMBEDDINGS') ?? 'off';
  const model = reader.text('NOTES_EMBEDDINGS_MODEL');
  const key = reader.hidden('NOTES_EMBEDDINGS_KEY');
  const exclude = reader.list('NOTES_EMBEDDINGS_EXCLUDE');
  if (exclude.length > MAX_EXCLUDED || exclude.some((glob) => glob.length > MAX_GLOB_LENGTH)) {
    const message = `holds more than ${MAX_EXCLUDED} globs, or one of more than ${MAX_GLOB_LENGTH} characters`;
    reader.problem('NOTES_EMBEDDINGS_EXCLUDE', message);
  }
  if (kind === 'off') {
    for (const name of OTHERS) {
      if (reader.text(name)) reader.warn(name, 'does nothing while NOTES_EMBEDDINGS is off');
    }
    return undefined;
  }
  if (kind === 'local') {
    if (key) reader.warn('NOTES_EMBEDDINGS_KEY', 'does nothing unless NOTES_EMBEDDINGS is a URL');
    if (model !== undefined && !isAbsolute(model)) {
      const message = `"${model}" is not the absolute path of a folder with model.onnx and tokenizer.json`;
      return reader.problem('NOTES_EMBEDDINGS_MODEL', message);
    }
    return { kind, folder: model, exclude };
  }
  return readEndpoint(reader, kind, model, key?.text, exclude);
}

function readEndpoint(
  reader: EnvironmentReader,
  text: string,
  model: string | undefined,
  key: string | undefined,
  exclude: readonly string[],
): EmbeddingSettings | undefined {
  const url = endpointUrlOf(text);
  if (url === undefined) {
    return reader.problem('NOTES_EMBEDDINGS', `${quoteUrl(text)} is not ${ENDPOINT_FORM}`);
  }
  const problem = unencryptedProblem(url);
  if (problem !== undefined) return reader.problem('NOTES_EMBEDDINGS', problem);
  if (model === undefined) {
    const message = 'is missing; set it to the name of an embedding model that the endpoint has';
    return reader.problem('NOTES_EMBEDDINGS_MODEL', message);
  }
  const secret = key === undefined ? undefined : new Secret('embeddings key', key);
  if (secret !== undefined && !secret.fitsBearer) {
    const message = 'cannot be sent in a header; a key is visible ASCII without spaces';
    return reader.problem('NOTES_EMBEDDINGS_KEY', message);
  }
  return { kind: 'remote', url, model, exclude, ...(secret && { key: secret }) };
}
