import pg from 'pg';
import { connectionString } from './program.js';

/* Handwritten SQL over the tables of the service, as for a custom server: named and prepared, over a pool of ten
   connections. */

const pool = new pg.Pool({ connectionString, max: 10 });
const device = `select d.id, d.serial, d.name, d.slug, d.tags, d.product_id as "productId", d.created_at as "createdAt" from device d`;
const linked = `join application_device l on l.device_id = d.id`;

const texts = {
  device: `${device} where d.organization_id = $1 and d.id = $2`,
  devices: `${device} where d.organization_id = $1 order by d.id limit $2`,
  deviceTotal: `select count(*)::int as total from device where organization_id = $1`,
  products: `select id, name, version from product where organization_id = $1 order by id limit $2`,
  productsById: `select id, name, version from product where id = any($1::uuid[])`,
  deviceCounts: `select product_id as parent, count(*)::int as total from device where product_id = any($1::uuid[]) group by 1`,
  applications: `select id, name, slug from application where organization_id = $1 order by id limit $2`,
  applicationsOfDevices: `select l.device_id as parent, a.id, a.name, a.slug from application_device l
    join application a on a.id = l.application_id where l.device_id = any($1::uuid[]) order by l.created_at`,
  devicesOfApplications: `select w.id as parent, d.* from unnest($1::uuid[]) w (id), lateral
    (${device} ${linked} where l.application_id = w.id order by l.created_at limit $2) d`,
  deviceTotals: `select application_id as parent, count(*)::int as total from application_device
    where application_id = any($1::uuid[]) group by 1`,
  teams: `select id, name from team where organization_id = $1 order by id limit $2`,
  membersOfTeams: `select l.team_id as parent, u.id, u.username from team_member l join account u on u.id = l.user_id
    where l.team_id = any($1::uuid[]) order by l.created_at`,
  organization: `select id, name, username from account where id = $1`,
};

/** A row. Rows of several parents have the parent's identifier in `parent`. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one of the statements. */
export const ask = async (name: keyof typeof texts, ...values: unknown[]): Promise<Row[]> =>
  (await pool.query<Row>({ name, text: texts[name], values })).rows;

/** Groups rows by parent. Returns the look-up. */
export const belowEach = (rows: readonly Row[]): ((id: unknown) => Row[]) => {
  const byKey = Map.groupBy(rows, ({ parent }) => parent);
  return (id) => byKey.get(id) ?? [];
};

/** Indexes rows by identifier. Returns the look-up. */
export const byId = (rows: readonly Row[]): ((id: unknown) => Row | undefined) => {
  const byKey = new Map(rows.map((row) => [row['id'], row]));
  return (id) => byKey.get(id);
};

/** Returns the distinct identifiers of rows. */
export const idsOf = (rows: readonly Row[], key = 'id'): unknown[] => [...new Set(rows.map((row) => row[key]))];
