#!/bin/sh
# What tests need beyond Python, from Debian's packages: WordNet's own files, of which the shipped table is built again.
# Where they cannot be installed (another system, no right to), the tests that need them are left out, and say so.
set -u
[ -e /usr/share/wordnet/data.noun ] && exit 0
command -v apt-get >/dev/null || exit 0
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
{ $as_root apt-get -qq update && $as_root apt-get -qq install --yes --no-install-recommends wordnet-base; } >/dev/null 2>&1 ||
  echo "system packages could not be installed; to run every test: apt-get install wordnet-base" >&2
