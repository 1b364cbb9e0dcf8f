/**
 * Creates the tables of blocks. Each array is decoded by `unnest`: a value is `(base + v) / 10 ^ scale`, where `v` is an
 * element of `v1`, `v2` or `v4`, or `v8` itself. Only `raw` has no form in SQL.
 */
export const createBlockTables = `
  create table record_block (
    block int primary key,
    -- Organization and product.
    source int not null,
    day date not null,
    days smallint not null default 1,
    n int not null,
    -- Lowest and highest device.
    lo int not null,
    hi int not null,
    -- Range of arrivals, which the identifiers have, in milliseconds since 1970.
    came_lo bigint,
    came_hi bigint,
    -- Runs: device and number of records.
    devices int[] not null,
    counts int[] not null,
    -- Time of record i of a run: t0 + i * step + unit * the element of column 20000, in microseconds since 1970.
    t0 bigint[] not null,
    step bigint[] not null,
    unit int not null,
    -- seq of record i of a run: seq0 + i * seq_step + the element of column 20001.
    seq0 bigint[] not null,
    seq_step bigint[] not null,
    -- Processes that created the identifiers. The counter of one: counter0 + floor(counter_step * (seq - seq_lo)) + the
    -- element of column 20004.
    process text[],
    counter0 bigint[],
    counter_step float8[],
    seq_lo bigint
  );
  create index record_block_day on record_block (source, day, lo);

  create table record_block_column (
    block int not null,
    col smallint not null,
    -- Number of values that are present.
    n int not null,
    -- A value is (base + v) / 10 ^ scale. Without an array, all values are the same.
    base bigint,
    scale smallint,
    v1 "char"[],
    v2 smallint[],
    v4 int[],
    v8 float8[],
    -- With base, a value is dict[base + v + 1]; else the elements are the values.
    dict text[],
    -- Bytes of values, one after another; base + v are their lengths.
    raw bytea storage external,
    -- The column with the same values.
    same smallint,
    -- Of all values.
    sum float8,
    sq float8,
    lo float8,
    hi float8,
    -- Different values as v, and how often each occurs.
    vals int[],
    hits int[],
    primary key (block, col)
  );

  -- Sums by run. The parts are those of SumPart.
  create table record_block_sum (
    block int not null,
    col smallint not null,
    part "char" not null,
    base bigint,
    scale smallint,
    v1 "char"[],
    v2 smallint[],
    v4 int[],
    v8 float8[],
    primary key (block, col, part)
  );

  -- Numbers of leaves of JSON.
  create table record_path (
    source int not null,
    col smallint not null,
    path text not null,
    primary key (source, col)
  );
`;
