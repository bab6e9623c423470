/** A client that hangs up when the signal is aborted, as a call tells of it. */
export function hangUpBy(signal: AbortSignal): { onCancelled(callback: () => void): void } {
  return {
    onCancelled: (callback) => {
      if (signal.aborted) callback();
      else signal.addEventListener('abort', callback);
    },
  };
}
