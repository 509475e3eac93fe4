/* bloomtype/sql/bloomtype--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION bloomtype UPDATE TO '1.1'" to load this file. \quit

--
-- Filters of other systems: the planner knows how many rows pass, and what asking costs
--

ALTER FUNCTION external_bloom_contains(bytea, text, anycompatible)
SUPPORT bloom_contains_support;

ALTER FUNCTION external_bloom_contains_any(bytea, text, anycompatiblearray)
SUPPORT bloom_contains_support;

ALTER FUNCTION external_bloom_contains_all(bytea, text, anycompatiblearray)
SUPPORT bloom_contains_support;
