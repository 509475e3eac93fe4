# The official image of PostgreSQL, with bloomtype: docker build --build-arg PG_MAJOR=18 .
ARG PG_MAJOR=18
FROM postgres:$PG_MAJOR AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    gcc libc6-dev libxxhash-dev make postgresql-server-dev-$PG_MAJOR
COPY . /bloomtype
RUN make -C /bloomtype clean && make -C /bloomtype install DESTDIR=/installed

FROM postgres:$PG_MAJOR
COPY --from=build /installed /
