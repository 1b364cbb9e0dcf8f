/** Values of a thing in a document, by field. */
export type Values = Readonly<Record<string, unknown>>;

/** An organization as one document. `ddp apply` does not change sections that the document lacks. */
export interface Configuration {
  products?: Readonly<Record<string, Values>>;
  applications?: Readonly<Record<string, Values>>;
  sites?: Readonly<Record<string, Values>>;
  teams?: Readonly<Record<string, Values>>;
  devices?: Readonly<Record<string, Values>>;
}

/** Limits of a document: bytes of its file, levels of its values, and aliases of YAML that it expands. */
export const documentLimits = { bytes: 32 * 1024 * 1024, depth: 20, aliases: 100 };

/** Allowed fields of the items of each section. Hooks and alert rules stand below their application. */
const fields = {
  products: ['id', 'name', 'version', 'variables', 'settings'],
  applications: ['id', 'name', 'description', 'hasDashboard', 'dashboard', 'hooks', 'alertRules'],
  hooks: [
    'id',
    'url',
    'allowUnverifiedSSLCert',
    'disabled',
    'concurrency',
    'maxPerSecond',
    'ordered',
    'events',
    'filter',
  ],
  alertRules: [
    'id',
    'name',
    'kind',
    'severity',
    'disabled',
    'products',
    'tags',
    'sites',
    'when',
    'until',
    'for',
    'maxGap',
    'closeAfter',
    'silentFor',
    'variable',
    'unsettledFor',
    'stateName',
    'recipients',
  ],
  sites: ['id', 'name', 'parent', 'kind', 'location', 'timeZone', 'attributes'],
  teams: ['description', 'members', 'applications'],
  devices: ['name', 'tags', 'product', 'location', 'site', 'attributes', 'applications'],
} as const;

type Section = keyof typeof fields;

/**
 * Reads a document.
 * @throws a sentence that says what is wrong and where.
 */
export async function parseDocument(text: string, isJson: boolean): Promise<Configuration> {
  if (Buffer.byteLength(text) > documentLimits.bytes)
    throw new Error(
      `The file has more than ${documentLimits.bytes / 2 ** 20} MiB: leave devices to putDevices or CSV.`,
    );
  requireWhole(text);
  const value = isJson ? parseJson(text) : await parseYaml(text);
  requireStorable(value, '');
  const document = object(value ?? {}, 'The document');
  for (const [section, things] of Object.entries(document)) {
    if (section === 'hooks' || section === 'alertRules' || !(section in fields))
      throw new Error(`"${section}" is not a section; sections are products, applications, sites, teams and devices.`);
    requireThings(section as Section, object(things, section), section);
  }
  return document as Configuration;
}

/**
 * Reads YAML. Keys stay as they are written: `12e5` may be a serial number. The library compares each key with all
 * others of its map, which takes minutes for a fleet, so keys are checked here. Only these commands read and write
 * YAML, so the library is loaded here.
 */
const parseYaml = async (text: string): Promise<unknown> => {
  const { parseDocument: parse, visit } = await import('yaml');
  const document = parse(text, { uniqueKeys: false, stringKeys: true, prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw /call stack/.test(error.message) ? tooDeep() : error;
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<string>();
      for (const { key } of items) {
        if (keys.has(String(key))) throw repeated(String(key));
        keys.add(String(key));
      }
    },
  });
  return document.toJS({ maxAliasCount: documentLimits.aliases }) as unknown;
};

/** Reads JSON. The engine's parser takes the last of several values of a key and drops the others. */
const parseJson = (text: string): unknown => {
  const value = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  const keys: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}:]|[^"{}:]+/gy)) {
    if (token === '{') keys.push(new Set());
    else if (token === '}') keys.pop();
    else if (token.startsWith('"')) last = token;
    else if (token === ':') {
      const key = JSON.parse(last) as string;
      if (keys.at(-1)!.has(key)) throw repeated(key);
      keys.at(-1)!.add(key);
    }
  }
  return value;
};

const repeated = (key: string) => new Error(`Keys must be unique; "${key}" occurs twice in the same place.`);

const tooDeep = () => new Error(`The document is more than ${documentLimits.depth} levels deep.`);

/** First and last line of an export. A text that has the first without the last is only a part of an export. */
export const exportMarks = {
  first: '# Exported by ddp export-configuration',
  last: '# End of the export',
} as const;

/** Writes a document as YAML, between the marks of an export. */
export const toYaml = async (document: Configuration): Promise<string> => {
  const { stringify } = await import('yaml');
  // Readers of YAML 1.1 take `yes`, `on` and dates without quotes for other values.
  const text = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  return `${exportMarks.first}\n${text}${exportMarks.last}\n`;
};

/**
 * A part of YAML is mostly valid YAML, so its parser cannot say. Lines may stand before the mark: `---`, or a comment.
 *
 * @throws when a text is an export that lost its end.
 */
function requireWhole(text: string): void {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.includes(exportMarks.first) && !lines.includes(exportMarks.last))
    throw new Error(
      `The file is incomplete: an export ends with the line "${exportMarks.last}". Export again. If you removed the end yourself, also remove the first line.`,
    );
}

function requireThings(section: Section, things: Values, path: string): void {
  for (const [key, thing] of Object.entries(things)) {
    const at = `${path}.${key}`;
    const values = object(thing ?? {}, at);
    const known: readonly string[] = fields[section];
    for (const field of Object.keys(values))
      if (!known.includes(field))
        throw new Error(`${at}.${field}: there is no such field; fields are ${known.join(', ')}.`);
    for (const inner of ['hooks', 'alertRules'] as const)
      if (section === 'applications' && values[inner] != null)
        requireThings(inner, object(values[inner], `${at}.${inner}`), `${at}.${inner}`);
    if (section === 'applications' && values['dashboard'] != null) object(values['dashboard'], `${at}.dashboard`);
    if (section === 'teams' && values['applications'] != null)
      for (const [name, permission] of Object.entries(object(values['applications'], `${at}.applications`)))
        if (permission !== 'read' && permission !== 'write')
          throw new Error(`${at}.applications.${name}: must be read or write.`);
    if ((section === 'devices' || section === 'sites') && values['attributes'] != null)
      object(values['attributes'], `${at}.attributes`);
    for (const field of section === 'teams' ? ['members'] : section === 'devices' ? ['applications'] : [])
      if (values[field] != null && !Array.isArray(values[field])) throw new Error(`${at}.${field}: must be a list.`);
  }
}

const object = (value: unknown, at: string): Values => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values;
  throw new Error(`${at}: must map names to values.`);
};

/**
 * Checks that JSON can carry the values. Negative zero, which JSON does not carry, becomes zero, so that it does not
 * differ from what is stored.
 */
function requireStorable(value: unknown, at: string, left = documentLimits.depth): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw tooDeep();
  const fields = value as Record<string, unknown>;
  for (const [name, each] of Object.entries(fields)) {
    const place = at === '' ? name : `${at}.${name}`;
    if (typeof each === 'number' && !Number.isFinite(each)) throw new Error(`${place}: must be a number.`);
    if (each === 0) fields[name] = 0;
    else requireStorable(each, place, left - 1);
  }
}
