/** What the commands of the gateway print, as transcripts. */
import { describe } from 'node:test';
import { testTranscripts } from '../support/docs/transcripts.ts';
import { ENTRY } from '../support/gateway/gateway.ts';

describe('transcripts', { concurrency: 2 }, () => {
  testTranscripts(new URL('./transcripts/', import.meta.url).pathname, 'gateway', ENTRY);
});
