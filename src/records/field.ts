import sql from 'sql-template-tag';
import type { PlainJson } from '../json.js';
import type { Database } from './device.js';
import type { PlainObject } from './item.js';

/** Kind of a field in the catalogue: that of the first value seen. */
export type FieldKind = 'number' | 'boolean' | 'text';

interface Field {
  keys: readonly string[];
  kind: FieldKind;
  multi: boolean;
}

/** Fields that an organization's catalogue takes; what comes beyond is stored and not searchable. */
const mostFields = 5000;

/** The catalogue of an organization's fields (`record_field`), and which of them are known to be in it. */
export class Fields {
  private readonly known = new Map<string, Map<string, boolean>>();
  private readonly unseen = new Map<string, Map<string, Field>>();

  /** Notes the fields of a record. Paths join keys by dots: `data.temperature`, `metadata.decode.status`. */
  note(organizationId: string, metadata: PlainObject, data: PlainObject): void {
    let known = this.known.get(organizationId);
    if (!known) this.known.set(organizationId, (known = new Map<string, boolean>()));
    this.walk(organizationId, known, ['metadata'], metadata, false);
    this.walk(organizationId, known, ['data'], data, false);
  }

  /** Adds to the catalogue what was noted and is not in it. */
  async flush(database: Database): Promise<void> {
    for (const [organizationId, fields] of this.unseen) {
      this.unseen.delete(organizationId);
      await addFields(database, organizationId, fields);
      const known = this.known.get(organizationId);
      if (known && known.size < mostFields) for (const [path, { multi }] of fields) known.set(path, multi);
    }
    if (this.known.size > 1000) this.known.clear();
  }

  private walk(
    organizationId: string,
    known: Map<string, boolean>,
    keys: readonly string[],
    value: PlainJson,
    multi: boolean,
  ): void {
    if (value === null) return;
    if (Array.isArray(value)) {
      for (const inner of value) this.walk(organizationId, known, keys, inner, true);
    } else if (typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) this.walk(organizationId, known, [...keys, key], inner, multi);
    } else {
      const path = keys.join('.');
      const seen = known.get(path);
      if (seen === undefined || (multi && !seen)) this.add(organizationId, path, { keys, kind: kindOf(value), multi });
    }
  }

  private add(organizationId: string, path: string, field: Field): void {
    let fields = this.unseen.get(organizationId);
    if (!fields) this.unseen.set(organizationId, (fields = new Map<string, Field>()));
    const noted = fields.get(path);
    fields.set(path, noted ? { ...noted, multi: noted.multi || field.multi } : field);
  }
}

const kindOf = (value: string | number | boolean): FieldKind =>
  typeof value === 'string' ? 'text' : (typeof value as FieldKind);

const addFields = async (
  database: Database,
  organizationId: string,
  fields: ReadonlyMap<string, Field>,
): Promise<void> => {
  const rows = [...fields].map(([path, field]) => ({ path, ...field }));
  await database.query(sql`
    insert into record_field (organization_id, path, keys, kind, multi)
    select ${organizationId}, path, keys, kind, multi
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (path text, keys text[], kind text, multi boolean)
    where (select count(*) from record_field where organization_id = ${organizationId}) < ${mostFields}
      or exists (select from record_field f where f.organization_id = ${organizationId} and f.path = w.path)
    order by path
    on conflict (organization_id, path) do update set multi = true where excluded.multi and not record_field.multi`);
};
