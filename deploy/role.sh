#!/bin/sh
# Makes the database and its owner when the server starts for the first time. The owner is an ordinary
# role: row-level security would not hold for a superuser, so Sharpwave refuses one.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres --set password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE sharpwave LOGIN PASSWORD :'password';
CREATE DATABASE sharpwave OWNER sharpwave ENCODING 'UTF8' TEMPLATE template0;
\connect sharpwave
CREATE EXTENSION IF NOT EXISTS vector;
SQL
