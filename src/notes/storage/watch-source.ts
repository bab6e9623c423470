/** The system's file events through `@parcel/watcher`. */
import { watch } from 'node:fs';
import parcel from '@parcel/watcher';
import type { WatchSource } from './watcher.ts';

export const watchSource: WatchSource = {
  subscribe: (directory, callback, options) => parcel.subscribe(directory, callback, options),
  tryWatch: (directory) => watch(directory).close(),
};
