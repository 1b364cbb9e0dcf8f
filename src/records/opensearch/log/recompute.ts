import { Past } from '#records/derive/past.js';
import type { GivenFields, StoredFrame } from '#records/new-record.js';
import { maxRecomputed, type Recomputing } from '#records/postgres/earlier/due.js';
import { keepNewest } from '#records/postgres/earlier/newest.js';
import { searchPast } from '#records/postgres/earlier/past-search.js';
import { type LineReader, type LineRow, pageByTime } from '#records/postgres/earlier/stored-line.js';
import { Walk, type WalkedLine } from '#records/postgres/earlier/walk.js';
import { typeData } from '#records/typed-data.js';
import { type Content, rowsOf } from '../rows.js';
import { measured, readPage, type StoredDocument } from '../stored-document.js';
import type { ClusterLogOptions } from './options.js';

/** Creates the functions that compute records of a line again over the index, and keep the newest values of its device. */
export const createRecomputing = (options: ClusterLogOptions): Recomputing => ({
  ready: (organizationId) => options.fresh(organizationId),
  async compute(tx, line) {
    const { writer, maker } = options;
    const documents = new Map<string, StoredDocument>();
    const reader = createReader(options, line, documents);
    const walk = new Walk(tx, line, reader, maxRecomputed);
    await walk.recompute(line);
    const contents = walk.changes.map(({ id, metadata, data, given }): Content => {
      const ignored = typeData(data, line.shape.slots).ignored ?? null;
      return { document: documents.get(id)!, metadata, data, given, slots: line.shape.slots, ignored };
    });
    if (contents.length > 0) {
      const { items } = await maker.make(await rowsOf(tx, contents), ({ id }) => documents.get(id)!.version + 1);
      await writer.write(items);
    }
    const { earlier } = line.shape.derivation;
    const past = new Past();
    await searchPast(reader.read, { earlier }, past);
    await keepNewest(tx, [{ ...line, past, names: earlier.names }]);
    return walk.rest;
  },
});

/** Maximum number of records that the engine returns at once. */
const maxPage = 10_000;

/** Creates the reader of a line in the index. Adds the documents that it reads, by their identifiers. */
export const createReader = (
  { client, names }: Pick<ClusterLogOptions, 'client' | 'names'>,
  { organizationId, deviceId, productId, shape }: Omit<WalkedLine, 'span'>,
  documents: Map<string, StoredDocument> = new Map(),
): LineReader => {
  const filter = [{ term: { o: organizationId } }, { term: { d: deviceId } }, { term: { p: productId } }];
  const read: LineReader['read'] = async ({ after, isBackwards = false, limit }) => {
    const [from, to] = isBackwards ? [null, after?.ts ?? null] : [after?.ts ?? null, null];
    for (let size = limit; ; size = Math.min(4 * size, maxPage)) {
      const found = await readPage(client, {
        index: names.between(from, to),
        routing: organizationId,
        query: { bool: { filter: [...filter, measured(from, to)] } },
        sort: ['us', 'seq'],
        isDescending: isBackwards,
        size,
      });
      for (const document of found.documents) documents.set(document.id, document);
      const rows = found.documents.map((document) => rowOf(document, shape));
      const page = pageByTime(rows, size, { after, isBackwards });
      if (page) return page;
      if (size === maxPage) throw new Error(`More than ${maxPage} records of a device at one time`);
    }
  };
  return {
    read,
    async past(before) {
      const past = new Past();
      await searchPast(read, { before, earlier: shape.derivation.earlier }, past);
      return past;
    },
  };
};

/** Returns a document as a record of a line. */
export const rowOf = (
  { id, deviceId, us, source, ignored }: StoredDocument,
  { slots }: WalkedLine['shape'],
): LineRow => {
  const { metadata, data, frame, given } = source;
  const { numbers = null, texts = null, many = null } = typeData(data, slots);
  return {
    id,
    deviceId,
    ts: '',
    seconds: us / 1e6,
    metadata,
    data,
    numbers,
    texts,
    many,
    ignored,
    isAlone: false,
    frame: (frame ?? null) as StoredFrame | null,
    given: (given ?? null) as GivenFields | null,
  };
};
