/** What the commands of the gateway print, as transcripts. */
import { describe } from 'node:test';
import { ENTRY } from '../support/gateway.ts';
import { testTranscripts } from '../support/transcripts.ts';

describe('transcripts', { concurrency: 2 }, () => {
  testTranscripts(new URL('./transcripts/', import.meta.url).pathname, 'gateway', ENTRY);
});
