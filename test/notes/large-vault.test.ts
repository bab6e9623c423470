import { testLargeVault } from '../support/notes/large-vault.ts';

// `test/long/notes-large.test.ts` has more, and compares the index with that of a rebuild.
testLargeVault(3_000, { folderSize: 600, searches: 100, isCompared: false });
