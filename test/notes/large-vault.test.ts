import { testLargeVault } from '../support/notes/large-vault.ts';

// `test/long/notes-large.test.ts` has more, and compares the index with that of a rebuild.
testLargeVault(1_200, { folderSize: 300, searches: 40, isCompared: false });
