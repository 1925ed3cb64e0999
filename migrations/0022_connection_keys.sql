-- Every table of integrations leads its primary key with integration_id, so that an engine that distributes tables can
-- place them. The index by integration is a prefix of the key.
alter table ws_connection drop constraint ws_connection_pkey, add primary key (integration_id, connection_id);
drop index ws_connection_by_integration;
