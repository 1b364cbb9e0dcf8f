import type { Client, Connection, Submittable } from 'pg';
import utils from 'pg/lib/utils.js';
import type { WeighRows } from './row-weight.js';
import { typeParsers } from './types.js';

type Row = Record<string, unknown>;

/** Columns of a statement's rows, and an empty row to copy. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((value: string) => unknown)[];
  readonly empty: Readonly<Row>;
}

/** A statement that each connection prepares once under its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  /**
   * Columns as each connection described them. PostgreSQL refuses to run the statement once they change (`cached plan
   * must not change result type`).
   */
  readonly columns: WeakMap<Connection, Columns>;
}

/** State of pg's connections about statements. pg's types omit it. */
interface PreparingConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
}

/** The fields of pg's messages that are read here. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}
interface DataRow {
  readonly fields: readonly (string | null)[];
}

/**
 * Runs a prepared statement on a connection.
 * @param weigh called with the number of characters of the rows before they are parsed
 */
export const readPrepared = (
  client: Client,
  statement: PreparedStatement,
  values: readonly unknown[],
  weigh: WeighRows | undefined,
): Promise<object[]> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | undefined, rows: object[]) => (error ? reject(error) : resolve(rows));
    client.query(new ReadQuery(statement, values, weigh, done));
  });

/**
 * One run of a prepared statement, as a query object of pg. pg's own class requests the columns each time, weighs
 * nothing, and emits an event per row.
 */
class ReadQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  private readonly values: unknown[];
  private readonly rows: Row[] = [];
  private connection: Connection | undefined;
  private columns: Columns | undefined;
  private failure: Error | undefined;

  /** @param weigh called with the number of characters of values before they are parsed */
  constructor(
    private readonly statement: PreparedStatement,
    values: readonly unknown[],
    private readonly weigh: WeighRows | undefined,
    readonly callback: (error: Error | undefined, rows: Row[]) => void,
  ) {
    this.name = statement.name;
    this.text = statement.text;
    this.values = values.map((value) => utils.prepareValue(value));
  }

  submit(connection: Connection): void {
    const { parsedStatements, submittedNamedStatements } = connection as PreparingConnection;
    const { name, text, statement, values } = this;
    connection.stream.cork();
    if (!(name in parsedStatements) && !(name in submittedNamedStatements)) {
      connection.parse({ name, text, types: [] }, true);
      submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values: values as string[] }, true);
    this.columns = statement.columns.get(connection);
    if (this.columns === undefined) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
    connection.sync();
    connection.stream.uncork();
    this.connection = connection;
  }

  handleRowDescription({ fields }: RowDescription): void {
    const names = fields.map(({ name }) => name);
    const parsers = fields.map(({ dataTypeID }) => typeParsers.getTypeParser(dataTypeID) as (value: string) => unknown);
    this.columns = { names, parsers, empty: Object.fromEntries(names.map((name) => [name, null])) };
    this.statement.columns.set(this.connection!, this.columns);
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.failure !== undefined) return;
    const { names, parsers, empty } = this.columns!;
    const row: Row = { ...empty };
    try {
      let size = 0;
      for (const value of fields) if (value !== null) size += value.length;
      this.weigh?.(size);
      for (let index = 0; index < names.length; index++) {
        const value = fields[index]!;
        if (value !== null) row[names[index]!] = parsers[index]!(value);
      }
      this.rows.push(row);
    } catch (error) {
      this.failure = error as Error;
    }
  }

  handleReadyForQuery(): void {
    this.callback(this.failure, this.rows);
  }

  handleError(error: Error): void {
    this.callback(this.failure ?? error, this.rows);
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}
}
