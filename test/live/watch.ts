import pg from 'pg';

/** The statements that this process sends from now on. */
export interface Watch {
  /** Names and texts of all statements so far. */
  readonly sent: readonly string[];
  /** Resolves when `count` statements whose text or name contains `part` were sent. */
  until(part: string, count: number): Promise<void>;
  end(): void;
}

/** Watches the statements sent to the database. */
export function watchStatements(): Watch {
  const { query } = pg.Client.prototype;
  const sent: string[] = [];
  const watchers = new Set<() => void>();
  pg.Client.prototype.query = function (this: pg.Client, ...args: [never]) {
    const statement = args[0] as { name?: string; text?: string } | string | undefined;
    sent.push(typeof statement === 'object' ? `${statement.name ?? ''} ${statement.text ?? ''}` : String(statement));
    for (const watcher of watchers) watcher();
    return Reflect.apply(query, this, args) as never;
  } as typeof query;
  return {
    sent,
    until: (part, count) =>
      new Promise((resolve) => {
        const watcher = () => {
          if (sent.filter((text) => text.includes(part)).length < count) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        watcher();
      }),
    end() {
      pg.Client.prototype.query = query;
    },
  };
}
