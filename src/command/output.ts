/** Streams whose reader closed the pipe, as `head` does, or whose disk is full. Output for them is lost. */
const closed = new Set<NodeJS.WriteStream>();

for (const stream of [process.stdout, process.stderr]) {
  // Without a listener, the error would end the process in the middle of a command.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && stream === process.stdout && !closed.has(stream))
      process.stderr.write(`The output could not be written: ${error.message}\n`);
    closed.add(stream);
  });
}

/**
 * Resolves once the readers of stdout and stderr have taken everything that was written. A pipe takes some 64 KiB at
 * once, and `process.exit` drops the rest. Returns whether stdout was written as a whole.
 */
export async function drainOutput(): Promise<boolean> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  return !closed.has(process.stdout);
}
