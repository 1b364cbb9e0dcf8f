import { decompress } from './parquet-codec.js';
import type { ParquetLeaf } from './parquet-footer.js';
import { parquetLimits, type Spend } from './parquet-limit.js';
import { checkPrefixedRuns, checkRuns } from './parquet-run.js';
import { natural, readStruct, structure, type ThriftStruct } from './parquet-thrift.js';
import { checkValues } from './parquet-value.js';

/** A column of a row group, and the budget for its pages. */
export interface CheckedColumn {
  leaf: ParquetLeaf;
  codec: number;
  rows: number;
  spend: Spend;
}

const [dataPage, dictionaryPage, dataPageV2] = [0, 2, 3];
const bitsOf = (level: number): number => 32 - Math.clz32(level);

/**
 * Checks the pages of a column in the order in which hyparquet reads them: they must lie within the bytes, and no count
 * may claim more values than the bytes hold. A page is decompressed only if the budget has room for it.
 * @param bytes of the column
 * @returns the end of the last page
 */
export const checkPages = (bytes: Uint8Array, column: CheckedColumn): number => {
  let at = 0;
  for (let seen = 0; at < bytes.length - 1 && !(column.leaf.isFlat && seen >= column.rows); ) {
    const { fields, end } = readStruct(bytes, at, parquetLimits.headerValues);
    const size = natural(fields, 3, 'the size of a page');
    if (size > bytes.length - end) throw new Error(`a page claims ${size} bytes where ${bytes.length - end} are left`);
    const values = checkPage(bytes.subarray(end, end + size), fields, column);
    at = end + size;
    seen += values;
  }
  return at;
};

/** Checks a page. Returns the number of the column's values in it. */
const checkPage = (body: Uint8Array, header: ThriftStruct, { leaf, codec, spend }: CheckedColumn): number => {
  const size = natural(header, 2, 'the size of a page without compression');
  switch (header.get(1)) {
    case dataPage: {
      const fields = structure(header.get(5), 'the header of a page');
      const count = natural(fields, 1, 'the number of values of a page');
      spend({ bytes: size, values: count, pages: 1 });
      checkData(decompress(codec, body, size), { count, encoding: fields.get(2), leaf, spend });
      return count;
    }
    case dataPageV2: {
      const fields = structure(header.get(8), 'the header of a page');
      const count = natural(fields, 1, 'the number of values of a page');
      spend({ bytes: size, values: count, pages: 1 });
      checkDataV2(body, { size, codec, fields, count, leaf, spend });
      return count;
    }
    case dictionaryPage: {
      const fields = structure(header.get(7), 'the header of a dictionary');
      const count = natural(fields, 1, 'the number of values of a dictionary');
      spend({ bytes: size, values: count, pages: 1 });
      checkValues(decompress(codec, body, size), { at: 0, encoding: 0, count, leaf, isV2: false, spend });
      return 0;
    }
    default:
      throw new Error('it has a page of an unknown kind');
  }
};

interface Data {
  count: number;
  encoding: unknown;
  leaf: ParquetLeaf;
  spend: Spend;
}

const checkData = (page: Uint8Array, { count, encoding, leaf, spend }: Data): void => {
  const { maxRepetition, maxDefinition } = leaf;
  let [at, present] = [0, count];
  if (maxRepetition > 0) at = checkPrefixedRuns(page, { from: at, width: bitsOf(maxRepetition), count }).end;
  if (maxDefinition > 0) {
    const levels = checkPrefixedRuns(page, { from: at, width: bitsOf(maxDefinition), count }, maxDefinition);
    [at, present] = [levels.end, levels.found];
  }
  checkValues(page, { at, encoding, count: present, leaf, isV2: false, spend });
};

interface DataV2 {
  size: number;
  codec: number;
  fields: ThriftStruct;
  count: number;
  leaf: ParquetLeaf;
  spend: Spend;
}

/** Checks a page of version 2, whose levels are never compressed. */
const checkDataV2 = (body: Uint8Array, { size, codec, fields, count, leaf, spend }: DataV2): void => {
  const nulls = natural(fields, 2, 'the number of nulls of a page');
  const definitions = natural(fields, 5, 'the length of the levels of a page');
  const repetitions = natural(fields, 6, 'the length of the levels of a page');
  const levels = definitions + repetitions;
  if (nulls > count || (nulls > 0 && leaf.maxDefinition === 0)) throw new Error(`a page claims ${nulls} nulls`);
  if (natural(fields, 3, 'the number of rows of a page') > count)
    throw new Error('a page claims more rows than values');
  if (levels > body.length || levels > size) throw new Error('the levels of a page are longer than the page');
  const { maxRepetition, maxDefinition } = leaf;
  if (maxRepetition > 0) checkRuns(body, { from: 0, end: repetitions, width: bitsOf(maxRepetition), count });
  if (maxDefinition > 0) checkRuns(body, { from: repetitions, end: levels, width: bitsOf(maxDefinition), count });
  const rest = body.subarray(levels);
  const page = fields.get(7) === false ? rest : decompress(codec, rest, size - levels);
  checkValues(page, { at: 0, encoding: fields.get(4), count: count - nulls, leaf, isV2: true, spend });
};
