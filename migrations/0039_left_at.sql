-- When somebody was removed or left: an invitation from before is not meant for them any more.
alter table former_members add column left_at timestamptz not null default now();
