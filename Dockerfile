# The official image of PostgreSQL, with bloomtype: docker build --build-arg PG_MAJOR=18 .
# It has not been run by Docker; test/package runs its steps on a Debian.
ARG PG_MAJOR=18
FROM postgres:$PG_MAJOR AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    gcc libc6-dev libxxhash-dev make postgresql-server-dev-$PG_MAJOR
COPY . /bloomtype
RUN make -C /bloomtype clean && make -C /bloomtype install DESTDIR=/installed

FROM postgres:$PG_MAJOR
COPY --from=build /installed /
# the commit and the time are for whoever builds it: see doc/releases.md
LABEL org.opencontainers.image.title="bloomtype" \
    org.opencontainers.image.description="Bloom and cuckoo filters as values, indexes of Bloom filters, and joins that filter their scans" \
    org.opencontainers.image.version="1.0.0-rc3" \
    org.opencontainers.image.licenses="PostgreSQL AND BSD-2-Clause" \
    org.opencontainers.image.url="https://github.com/bloomtype/bloomtype" \
    org.opencontainers.image.source="https://github.com/bloomtype/bloomtype" \
    org.opencontainers.image.documentation="https://github.com/bloomtype/bloomtype/blob/main/README.md"
