import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Functions that find records of days that are in blocks alone (`record_blocked.alone`). Days are those of UTC. */
export class LoneBlockRecords extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // The identifier of a record has its arrival.
    await steps.index({ name: 'record_block_came', table: 'record_block', definition: '(source, came_hi, came_lo)' });
    for (const each of [sources, days, runs, deviceRuns, places, count, rows, find, newest]) await steps.run(each);
  }
}

const sources = String.raw`
  -- Sources of the records of devices, of one product or, if this is null, of all.
  create or replace function record_block_sources(device_ids uuid[], product uuid)
  returns int[] language plpgsql stable parallel safe as $function$
  begin
    return array(
      select distinct s.source from record_source o
      join record_block_source s on s.organization_id = o.organization_id and s.product_id is not distinct from o.product_id
      where o.device_id = any(device_ids) and (product is null or o.product_id = product));
  end $function$`;

const days = String.raw`
  -- Days that are in blocks alone. Without numbers of devices, those of all devices.
  create or replace function record_block_days(sources int[], device_numbers int[], low timestamptz, high timestamptz)
  returns setof date language plpgsql stable parallel safe as $function$
  declare
    lowest int := (select min(d) from unnest(device_numbers) d);
    highest int := (select max(d) from unnest(device_numbers) d);
  begin
    return query
      select a.day from record_blocked a
      where a.alone and a.source = any(sources)
        and a.day between (low at time zone 'UTC')::date and (high at time zone 'UTC')::date
        and (device_numbers is null or exists (
          select from record_block b where b.source = a.source and b.day = a.day and b.lo <= highest and b.hi >= lowest
            and b.devices && device_numbers))
      group by a.day;
  end $function$`;

const runs = String.raw`
  -- Runs of devices in the blocks of a day; without numbers of devices, whole blocks.
  create or replace function record_block_runs(sources int[], device_numbers int[], which date)
  returns table (block int, first_place int, last_place int) language plpgsql stable parallel safe as $function$
  declare
    lowest int := (select min(d) from unnest(device_numbers) d);
    highest int := (select max(d) from unnest(device_numbers) d);
  begin
    return query
      select b.block, r.skipped + 1, r.skipped + r.count from record_blocked a
      join record_block b on b.source = a.source and b.day = a.day
      cross join lateral (
        select 0 as skipped, b.n as count where device_numbers is null
        union all
        select x.skipped, x.count from (
          select u.device, u.count, (sum(u.count) over (order by u.nth) - u.count)::int as skipped
          from unnest(b.devices, b.counts) with ordinality u (device, count, nth)) x
        where device_numbers is not null and x.device = any(device_numbers)) r
      where a.alone and a.source = any(sources) and a.day = which
        and (device_numbers is null or b.lo <= highest and b.hi >= lowest and b.devices && device_numbers);
  end $function$`;

const deviceRuns = String.raw`
  -- Runs of a device on days that have a part of a range of time.
  create or replace function record_block_device_runs(device uuid, low timestamptz, high timestamptz)
  returns table (block int, day date, product_id uuid, first_place int, last_place int) language plpgsql stable parallel safe as $function$
  declare
    numbers int[] := array(select d.device from record_block_device d where d.device_id = record_block_device_runs.device);
    sources int[] := record_block_sources(array[device], null);
  begin
    if cardinality(numbers) = 0 then return; end if;
    return query
      select r.block, d, s.product_id, r.first_place, r.last_place from record_block_days(sources, numbers, low, high) d
      cross join lateral record_block_runs(sources, numbers, d) r
      join record_block b on b.block = r.block join record_block_source s on s.source = b.source;
  end $function$`;

const places = String.raw`
  -- Records of devices in a range of time, after a key if it is not null, in no order. Whole days are read in order of
  -- time until there are enough records.
  create or replace function record_block_places(
    device_ids uuid[], low timestamptz, high timestamptz, after_ts timestamptz, after_seq bigint, newest_first boolean, enough int)
  returns table (block int, place int, ts timestamptz, seq bigint) language plpgsql stable parallel safe as $function$
  declare
    numbers int[] := array(select d.device from record_block_device d where d.device_id = any(device_ids));
    sources int[] := record_block_sources(device_ids, null);
    -- Whole blocks are decoded for many devices.
    few int[] := case when cardinality(numbers) <= 20 then numbers end;
    each_day date; total int := 0; amount int;
  begin
    for each_day in
      select d from record_block_days(sources, few, low, high) d
      order by case when newest_first then 'epoch'::date - d else d - 'epoch'::date end
    loop
      return query
        select r.block, m.place, m.ts, m.seq from record_block_runs(sources, few, each_day) r
        cross join lateral record_block_moments(r.block, r.first_place, r.last_place, false) m
        where m.device = any(numbers) and m.ts >= low and m.ts <= high and (after_ts is null
          or case when newest_first then (m.ts, m.seq) < (after_ts, after_seq) else (m.ts, m.seq) > (after_ts, after_seq) end);
      get diagnostics amount = row_count;
      total := total + amount;
      exit when total >= enough;
    end loop;
  end $function$`;

const count = String.raw`
  -- Counts records of devices in a range of time, until there are enough.
  create or replace function record_block_count(device_ids uuid[], low timestamptz, high timestamptz, enough bigint)
  returns bigint language plpgsql stable parallel safe as $function$
  declare
    numbers int[] := array(select d.device from record_block_device d where d.device_id = any(device_ids));
    sources int[] := record_block_sources(device_ids, null);
    few int[] := case when cardinality(numbers) <= 20 then numbers end;
    each_day date; total bigint := 0;
  begin
    for each_day in select d from record_block_days(sources, few, low, high) d loop
      if each_day::timestamp at time zone 'UTC' >= low and (each_day + 1)::timestamp at time zone 'UTC' <= high then
        total := total + (
          select coalesce(sum(u.count), 0) from record_blocked a
          join record_block b on b.source = a.source and b.day = a.day
          cross join lateral unnest(b.devices, b.counts) u (device, count)
          where a.alone and a.source = any(sources) and a.day = each_day and u.device = any(numbers));
      else
        total := total + (
          select count(*) from record_block_runs(sources, few, each_day) r
          cross join lateral record_block_moments(r.block, r.first_place, r.last_place, false) m
          where m.device = any(numbers) and m.ts >= low and m.ts <= high);
      end if;
      exit when total >= enough;
    end loop;
    return total;
  end $function$`;

const rows = String.raw`
  -- Consecutive records of a block, with some of their parts.
  create or replace function record_block_rows(number int, first_place int, last_place int, parts text[])
  returns table (
    place int, id uuid, seq bigint, organization_id uuid, device_id uuid, product_id uuid, ts timestamptz,
    metadata jsonb, data jsonb, frame jsonb, many jsonb)
  language plpgsql stable parallel safe as $function$
  declare
    metadatas jsonb[]; datas jsonb[]; frames jsonb[]; manies jsonb[];
  begin
    if 'metadata' = any(parts) then metadatas := record_block_json(number, 'metadata', null, first_place, last_place); end if;
    if 'data' = any(parts) then datas := record_block_json(number, 'data', null, first_place, last_place); end if;
    if 'frame' = any(parts) then frames := record_block_json(number, 'frame', null, first_place, last_place); end if;
    if 'many' = any(parts) then manies := record_block_json(number, 'many', null, first_place, last_place); end if;
    return query
      select m.place, m.id, m.seq, s.organization_id, d.device_id, s.product_id, m.ts, metadatas[m.place - first_place + 1],
        datas[m.place - first_place + 1], frames[m.place - first_place + 1], manies[m.place - first_place + 1]
      from record_block_moments(number, first_place, last_place, true) m
      join record_block_device d on d.device = m.device
      join record_block b on b.block = number join record_block_source s on s.source = b.source
      order by m.place;
  end $function$`;

const find = String.raw`
  -- Records of an organization by identifier, of some devices or, if these are null, of all.
  create or replace function record_block_find(organization uuid, ids uuid[], device_ids uuid[])
  returns table (block int, place int) language plpgsql stable parallel safe as $function$
  declare
    numbers int[] := case when device_ids is not null then array(select d.device from record_block_device d where d.device_id = any(device_ids)) end;
    each record; low int; high int;
  begin
    for each in
      select b.block, b.n, b.came_hi, array_agg(w.came) as came
      from (select distinct ('x' || replace(left(i::text, 13), '-', ''))::bit(48)::bigint as came from unnest(ids) i) w
      join record_block_source s on s.organization_id = organization
      join record_block b on b.source = s.source and b.came_hi >= w.came and b.came_lo <= w.came
      where (numbers is null or b.devices && numbers)
        and exists (select from record_blocked a where a.alone and a.source = b.source and a.day = b.day)
      group by b.block
      union all
      select b.block, b.n, null, null from record_block_source s
      join record_block b on b.source = s.source and b.came_hi is null
      where s.organization_id = organization and (numbers is null or b.devices && numbers)
        and exists (select from record_blocked a where a.alone and a.source = b.source and a.day = b.day)
    loop
      low := 1;
      high := each.n;
      if each.came_hi is not null then
        select min(m.place), max(m.place) into low, high
        from rows from (record_block_moments(each.block, 1, each.n, false), unnest(record_block_numbers(each.block, 20002, 1, each.n)))
          m (place, device, ts, seq, id, later)
        where (floor(extract(epoch from m.ts) * 1000)::bigint + m.later::bigint in (select c from unnest(each.came) c)) is true;
      end if;
      if low is not null then
        return query
          select each.block, m.place from record_block_moments(each.block, low, high, true) m 
          -- As a test of truth, PostgreSQL looks it up in a hash table.
          where (m.id in (select i from unnest(ids) i)) is true;
      end if;
    end loop;
  end $function$`;

const newest = String.raw`
  -- The newest record of a device in a range of time, of one product or, if this is null, of all. Either it has a value
  -- in a column (which), or one other than null under a key of a part, or all of these are null. A time that is ahead of
  -- the arrival by more than a tolerance in seconds counts as the arrival (order_ts).
  create or replace function record_block_newest(
    device uuid, product uuid, which int, part text, field text, low timestamptz, high timestamptz, tolerance float8)
  returns table (block int, place int, ts timestamptz, seq bigint, order_ts timestamptz) language plpgsql stable parallel safe as $function$
  declare
    numbers int[] := array(select d.device from record_block_device d where d.device_id = record_block_newest.device);
    sources int[] := record_block_sources(array[device], product);
    each_day date; best_block int; best_place int; best_ts timestamptz; best_seq bigint; best_at timestamptz;
  begin
    if cardinality(numbers) = 0 then return; end if;
    for each_day in select d from record_block_days(sources, numbers, low, high) d order by d desc loop
      exit when best_at >= (each_day + 1)::timestamp at time zone 'UTC';
      select x.block, x.place, x.ts, x.seq, x.at into best_block, best_place, best_ts, best_seq, best_at from (
        select best_block, best_place, best_ts, best_seq, best_at where best_at is not null
        union all
        select r.block, m.place, m.ts, m.seq,
          case when m.ts > c.came + make_interval(secs => tolerance) then c.came else m.ts end
        from record_block_runs(sources, numbers, each_day) r
        cross join lateral (select case
          when which > 0 then array(select v is not null from unnest(record_block_numbers(r.block, which, r.first_place, r.last_place)) v)
          when which < 0 then array(select v is not null from unnest(record_block_texts(r.block, which, r.first_place, r.last_place)) v)
          when field is not null then array(select coalesce(v -> field <> 'null', false)
            from unnest(record_block_json(r.block, part, array[field], r.first_place, r.last_place)) v) end as present offset 0) p
        -- Most blocks have no such value.
        cross join lateral (select where p.present is null or true = any(p.present) offset 0) e
        cross join lateral record_block_moments(r.block, r.first_place, r.last_place, true) m
        cross join lateral (select to_timestamp(('x' || replace(left(m.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) as came) c
        where m.ts >= low and m.ts <= high and (p.present is null or p.present[m.place - r.first_place + 1])) x (block, place, ts, seq, at)
      order by x.at desc, x.ts desc, x.seq desc limit 1;
    end loop;
    if best_at is not null then
      return query select best_block, best_place, best_ts, best_seq, best_at;
    end if;
  end $function$`;
