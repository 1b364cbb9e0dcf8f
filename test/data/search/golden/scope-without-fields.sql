select (select coalesce(string_agg(device_id::text, ','), '')
from application_device
where application_id = $1::uuid) as devices
-- $1 = "uuid"
