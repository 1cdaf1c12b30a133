-- One file, one writer at a time. `version` is the resourceVersion, drawn from `changes`.
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS objects (
  grp TEXT NOT NULL, kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,
  version INTEGER NOT NULL, identity TEXT NOT NULL DEFAULT '', body BLOB NOT NULL, managers BLOB NOT NULL,
  PRIMARY KEY (grp, kind, ns, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS objects_identity ON objects (identity) WHERE identity <> '';
CREATE TABLE IF NOT EXISTS refs (
  grp TEXT NOT NULL, kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,
  to_grp TEXT NOT NULL, to_kind TEXT NOT NULL, to_ns TEXT NOT NULL, to_name TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS refs_to ON refs (to_grp, to_kind, to_ns, to_name);
CREATE INDEX IF NOT EXISTS refs_from ON refs (grp, kind, ns, name);
CREATE TABLE IF NOT EXISTS changes (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  grp TEXT NOT NULL, kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, gone INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, grp TEXT NOT NULL, kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,
  type TEXT NOT NULL, reason TEXT NOT NULL, note TEXT NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, count INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS events_of ON events (grp, kind, ns, name);
CREATE TABLE IF NOT EXISTS asks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, grp TEXT NOT NULL, kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires REAL NOT NULL);
