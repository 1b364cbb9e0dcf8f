select (select coalesce(string_agg(device_id::text, ','), '')
from application_device
where application_id = $1::uuid) as devices, exists ( select
from record_block_source s
join record_blocked b using (source)
where s.organization_id = $2::uuid and b.alone and b.day >= $3::timestamptz::date and b.day <= $4::timestamptz::date) as alone
-- $1 = "uuid"
-- $2 = "uuid"
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
