import { Migration } from '@mikro-orm/migrations';

/**
 * Functions that restore values of some consecutive records of a block. `first` and `last` are places, from 1, both
 * included. Columns are those of column-number.ts.
 */
export class BlockValues extends Migration {
  override up(): void {
    this.addSql(numbers);
    this.addSql(texts);
    this.addSql(moments);
    this.addSql(json);
    this.addSql(slots);
  }
}

const numbers = String.raw`
  -- Numbers of a column; null without the column.
  create or replace function record_block_numbers(number int, which int, first_place int, last_place int)
  returns float8[] language plpgsql stable parallel safe as $function$
  begin
    return (
      select case when c.v1 is null and c.v2 is null and c.v4 is null and c.v8 is null
        then array_fill(c.base / power, array[last_place - first_place + 1])
        -- Subtracted, because adding 0 would make 0 of -0.
        else array(select (v - (0 - coalesce(c.base, 0)::float8)) / power from unnest(coalesce(
          c.v2[first_place:last_place]::float8[], c.v1[first_place:last_place]::int[]::float8[],
          c.v4[first_place:last_place]::float8[], c.v8[first_place:last_place])) v) end
      from record_block_column o
      join record_block_column c on c.block = o.block and c.col = coalesce(o.same, o.col)
      cross join lateral (select (
        '{1,10,100,1e3,1e4,1e5,1e6,1e7,1e8,1e9,1e10,1e11,1e12,1e13,1e14,1e15}'::float8[])[coalesce(c.scale, 0) + 1] as power) p
      where o.block = number and o.col = which::smallint);
  end $function$`;

const texts = String.raw`
  -- Texts of a column; null without the column.
  create or replace function record_block_texts(number int, which int, first_place int, last_place int)
  returns text[] language plpgsql stable parallel safe as $function$
  declare
    entries text[]; bytes bytea; lowest bigint; cells int[]; skipped bigint;
  begin
    select c.dict, c.raw, c.base,
      coalesce(c.v2[first_place:last_place]::int[], c.v1[first_place:last_place]::int[], c.v4[first_place:last_place],
        array_fill(0, array[last_place - first_place + 1])),
      case when c.raw is null or first_place = 1 then 0 else (
        select coalesce(sum(c.base + v), 0) from unnest(coalesce(c.v2[1:first_place - 1]::int[],
          c.v1[1:first_place - 1]::int[], c.v4[1:first_place - 1], array_fill(0, array[first_place - 1]))) v) end
    into entries, bytes, lowest, cells, skipped
    from record_block_column o join record_block_column c on c.block = o.block and c.col = coalesce(o.same, o.col)
    where o.block = number and o.col = which::smallint;
    if not found then return null; end if;
    if bytes is not null then
      return array(
        select encode(substr(bytes, (skipped + sum(lowest + v) over (order by i) - lowest - v + 1)::int, (lowest + v)::int), 'hex')
        from unnest(cells) with ordinality u (v, i) order by i);
    end if;
    if lowest is null then return entries[first_place:last_place]; end if;
    return array(select entries[lowest + v + 1] from unnest(cells) v);
  end $function$`;

const moments = String.raw`
  -- Device, time and seq of records, in order, and their identifiers if wanted.
  create or replace function record_block_moments(number int, first_place int, last_place int, with_ids boolean)
  returns table (place int, device int, ts timestamptz, seq bigint, id uuid)
  language plpgsql stable parallel safe set jit = off as $function$
  declare
    times float8[] := record_block_numbers(number, 20000, first_place, last_place);
    seqs float8[] := record_block_numbers(number, 20001, first_place, last_place);
    arrivals float8[]; processes float8[]; counters float8[]; tails text[];
    bits text[]; starts bigint[]; steps float8[]; lowest bigint;
  begin
    if not with_ids then
      return query
        select p.place, r.device, '1970-01-01Z'::timestamptz + (r.t0 + (p.place - r.skipped - 1) * r.step
            + (r.unit * times[p.place - first_place + 1])::bigint) * interval '1 microsecond',
          r.seq0 + (p.place - r.skipped - 1) * r.seq_step + seqs[p.place - first_place + 1]::bigint, null::uuid
        from (
          select b.unit, u.*, (sum(u.count) over (order by u.nth) - u.count)::int as skipped
          from record_block b, unnest(b.devices, b.counts, b.t0, b.step, b.seq0, b.seq_step)
            with ordinality u (device, count, t0, step, seq0, seq_step, nth)
          where b.block = number) r
        cross join lateral generate_series(
          greatest(first_place, r.skipped + 1), least(last_place, r.skipped + r.count)) p (place)
        where r.skipped < last_place and r.skipped + r.count >= first_place order by p.place;
      return;
    end if;
    arrivals := record_block_numbers(number, 20002, first_place, last_place);
    processes := record_block_numbers(number, 20003, first_place, last_place);
    counters := record_block_numbers(number, 20004, first_place, last_place);
    tails := record_block_texts(number, 20005, first_place, last_place);
    select b.process, b.counter0, b.counter_step, b.seq_lo into bits, starts, steps, lowest
    from record_block b where b.block = number;
    -- The layout of identifiers is in id-column.ts.
    return query
      select m.place, m.device, m.ts, m.seq, (case when m.arrival is null then m.tail
        else lpad(to_hex(floor(extract(epoch from m.ts) * 1000)::bigint + m.arrival), 12, '0') || coalesce(m.tail,
          '7' || lpad(to_hex(m.count >> 20), 3, '0') || to_hex(8388608 + (m.count & 1048575) * 4 + left(m.process, 1)::int) || substr(m.process, 2))
        end)::uuid
      from (
        select w.place, w.device, w.ts, w.seq, w.arrival, w.tail, bits[w.nth] as process,
          (starts[w.nth] + floor(steps[w.nth] * (w.seq - lowest)) + w.counter)::bigint as count
        from (
          select m.*, arrivals[m.place - first_place + 1]::bigint as arrival, tails[m.place - first_place + 1] as tail,
            processes[m.place - first_place + 1]::int + 1 as nth, counters[m.place - first_place + 1] as counter
          from record_block_moments(number, first_place, last_place, false) m) w) m;
  end $function$`;

const json = String.raw`
  -- A part of records as JSON, with some of its keys or, if these are null, all.
  create or replace function record_block_json(number int, part text, keys text[], first_place int, last_place int)
  returns jsonb[] language plpgsql stable parallel safe
  -- PostgreSQL expects few elements of an array, and would join them by nested loops.
  set enable_nestloop = off set jit = off as $function$
  declare
    nth int := array_position('{metadata,data,frame,given,many}', part) - 1;
    whole text[] := record_block_texts(number, 20040 + nth, first_place, last_place);
    entries text[]; shapes int[];
  begin
    if whole is not null then return array(select t::jsonb from unnest(whole) t); end if;
    select c.dict into entries from record_block_column c where c.block = number and c.col = (20020 + nth)::smallint;
    if not found then return array_fill(null::jsonb, array[last_place - first_place + 1]); end if;
    shapes := array(select v::int + 1 from unnest(record_block_numbers(number, 20020 + nth, first_place, last_place)) v);
    return array(
      with recursive shape as (
        -- Those with lists are needed to count elements of earlier records.
        select d.place, d.text from unnest(entries) with ordinality d (text, place)
        where d.place = any(shapes) or d.text like '%[%'
      ), tree as materialized (
        select t.place, case when keys is null then t.tree
          else coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(t.tree) e where e.key = any(keys)), '{}') end as tree
        from (
          select s.place, string_agg(case when token[1] ~ '^[#%$?]' then '"' || token[1] || '"' else token[1] end, '' order by m.n)::jsonb as tree
          from shape s, regexp_matches(s.text, '"(?:[^"\\]|\\.)*"|[#%$?][1-9]?|[^"#%$?]+', 'g') with ordinality m (token, n)
          group by s.place) t
      ), node (place, value, path, listed, single, at) as (
        select t.place, t.tree, '', '', true, '{}'::int8[] from tree t
        union all
        select n.place, e.value, n.path || e.step, n.listed || e.listed, n.single and e.single, n.at || e.n
        from node n cross join lateral (
          select o.value, o.step, o.step as listed, true as single, o.n from (
            select k.value, '.' || case when k.key ~ '^[^."\[\]\\]+$' and to_json(k.key)::text = '"' || k.key || '"' then k.key else to_json(k.key)::text end as step, k.n
            from jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end) with ordinality k (key, value, n)) o
          union all
          select l.value, '[0]', '[]', l.n = 1, l.n
          from jsonb_array_elements(case jsonb_typeof(n.value) when 'array' then n.value else '[]' end) with ordinality l (value, n)) e
      ), leaf as materialized (
        select n.place, row_number() over (partition by n.place order by n.at) as leaf, n.single, left(m.mark, 1) as kind,
          coalesce(nullif(substr(m.mark, 2), ''), '0')::int as decimals,
          left(m.mark, 1) || part || case when n.single then n.path else n.listed end as path
        from node n cross join lateral (select n.value #>> '{}' as mark) m where jsonb_typeof(n.value) = 'string'
      ), form as materialized (
        -- Formats with %s for each leaf.
        select k.place, string_agg(k.text, '' order by k.n) as form from (
          select t.place, m.n, case when m.token[1] like '"%"' then '%s' else replace(m.token[1], '%', '%%') end as text
          from tree t, regexp_matches(t.tree::text, '"(?:[^"\\]|\\.)*":|"(?:[^"\\]|\\.)*"|[^"]+', 'g') with ordinality m (token, n)) k
        group by k.place
      ), forms as materialized (
        select array_agg(f.form order by s) as forms from generate_series(1, cardinality(entries)) s left join form f on f.place = s
      ), path as materialized (
        select l.path, l.kind, l.single from leaf l group by l.path, l.kind, l.single
      ), single as (
        -- The value of record i is the i-th one.
        select u.i, p.leaves[u.place] as leaf, p.kind, p.decimals[u.place] as decimals, u.number, u.text
        from (
          select p.path, p.kind, array_agg(l.leaf order by s) as leaves, array_agg(l.decimals order by s) as decimals
          from path p cross join generate_series(1, cardinality(entries)) s left join leaf l on l.place = s and l.path = p.path
          where p.single group by p.path, p.kind) p
        join record_block_path c on c.source = (select b.source from record_block b where b.block = number) and c.path = p.path
        cross join lateral unnest(shapes,
          case when p.kind in ('#', '?') then record_block_numbers(number, c.col, first_place, last_place) end,
          case when p.kind in ('$', '%') then record_block_texts(number, c.col, first_place, last_place) end)
          with ordinality u (place, number, text, i)
        where p.leaves[u.place] is not null
      ), earlier as materialized (
        select v::int + 1 as place, count(*) as n from unnest(record_block_numbers(number, 20020 + nth, 1, first_place - 1)) v
        where first_place > 1 and exists (select from path where not single) group by 1
      ), listed as (
        -- The values of all records follow one another.
        select u.i, u.leaf, p.kind, u.decimals, u.number, u.text
        from (
          select p.path, p.kind, array_agg(i.i order by i.i, l.leaf) as items, array_agg(l.leaf order by i.i, l.leaf) as leaves,
            array_agg(l.decimals order by i.i, l.leaf) as decimals, count(*)::int as length, (
              select coalesce(sum(e.n), 0)::int from earlier e join leaf x on x.place = e.place and x.path = p.path) as skipped
          from path p join leaf l on l.path = p.path join unnest(shapes) with ordinality i (place, i) on i.place = l.place
          where not p.single group by p.path, p.kind) p
        join record_block_path c on c.source = (select b.source from record_block b where b.block = number) and c.path = p.path
        cross join lateral unnest(p.items, p.leaves, p.decimals,
          case when p.kind in ('#', '?') then record_block_numbers(number, c.col, p.skipped + 1, p.skipped + p.length) end,
          case when p.kind in ('$', '%') then record_block_texts(number, c.col, p.skipped + 1, p.skipped + p.length) end)
          u (i, leaf, decimals, number, text)
      ), filled as (
        select f.i, array_agg(case f.kind
            when '#' then case when f.decimals = 0 then f.number::text else round(f.number::text::numeric, f.decimals)::text end
            when '?' then case f.number when 1 then 'true' else 'false' end
            when '$' then to_json(f.text)::text
            else f.text end order by f.leaf) as texts
        from (select * from single union all select * from listed) f group by f.i
      )
      select format(x.forms[i.place], variadic coalesce(f.texts, '{}'))::jsonb
      from forms x cross join unnest(shapes) with ordinality i (place, i) left join filled f on f.i = i.i order by i.i);
  end $function$`;

const slots = String.raw`
  -- Values of records by slot, in the order of the records.
  create or replace function record_block_slots(number int, first_place int, last_place int)
  returns table (place int, numbers float8[], texts text[]) language plpgsql stable parallel safe as $function$
  declare
    amount int := last_place - first_place + 1;
    number_lengths float8[] := record_block_numbers(number, 20006, first_place, last_place);
    text_lengths float8[] := record_block_numbers(number, 20007, first_place, last_place);
  begin
    return query
      with of_number as (
        select u.i, array_agg(u.v order by s.slot) as slots
        from generate_series(1, (select max(l)::int from unnest(number_lengths) l)) s (slot)
        cross join lateral unnest(coalesce(
          record_block_numbers(number, s.slot, first_place, last_place), array_fill(null::float8, array[amount])))
          with ordinality u (v, i)
        group by u.i
      ), of_text as (
        select u.i, array_agg(u.v order by s.slot) as slots
        from generate_series(1, (select max(l)::int from unnest(text_lengths) l)) s (slot)
        cross join lateral unnest(coalesce(
          record_block_texts(number, -s.slot, first_place, last_place), array_fill(null::text, array[amount])))
          with ordinality u (v, i)
        group by u.i
      )
      select first_place + p.i - 1,
        case when number_lengths[p.i] is not null then coalesce(n.slots[1:number_lengths[p.i]::int], '{}') end,
        case when text_lengths[p.i] is not null then coalesce(t.slots[1:text_lengths[p.i]::int], '{}') end
      from generate_series(1, amount) p (i) left join of_number n on n.i = p.i left join of_text t on t.i = p.i order by p.i;
  end $function$`;
