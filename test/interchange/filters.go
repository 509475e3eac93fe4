// filters.go
//
// Write and ask filters of github.com/bits-and-blooms/bloom.
//
//	filters create FILE N P KIND FIRST COUNT     a filter for N keys at the rate P
//	filters add FILE KIND FIRST COUNT            add keys to it
//	filters merge FILE OTHER                     add the keys of another filter
//	filters ask FILE KIND FIRST COUNT            print an answer, t or f, for each key
//	filters sizes                                read lines N,P; print N,P,m,k
//
// Keys are numbered from FIRST.  The KIND text has characters of one and two bytes;
// that of bytes is the number, four bytes, big-endian, again and again up to 4 to 36
// bytes.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/bits-and-blooms/bloom"
)

func readFilter(name string) (*bloom.BloomFilter, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	filter := new(bloom.BloomFilter)
	_, err = filter.ReadFrom(bufio.NewReader(file))
	return filter, err
}

func writeFilter(name string, filter *bloom.BloomFilter) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	if _, err = filter.WriteTo(out); err != nil {
		return err
	}
	return out.Flush()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func number(argument string) int {
	n, err := strconv.Atoi(argument)
	check(err)
	return n
}

func key(kind string, i int) []byte {
	if kind == "text" {
		return []byte(fmt.Sprintf("%d%s", i, strings.Repeat("ä", i%7)))
	}
	var word [4]byte
	binary.BigEndian.PutUint32(word[:], uint32(i))
	return bytes.Repeat(word[:], 9)[:4+i%33]
}

// Call do with the keys that KIND FIRST COUNT stand for.
func forKeys(arguments []string, do func(key []byte)) {
	first, count := number(arguments[1]), number(arguments[2])
	for i := first; i < first+count; i++ {
		do(key(arguments[0], i))
	}
}

func main() {
	log.SetFlags(0)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	command, arguments := os.Args[1], os.Args[2:]

	switch command {
	case "create":
		p, err := strconv.ParseFloat(arguments[2], 64)
		check(err)
		filter := bloom.NewWithEstimates(uint(number(arguments[1])), p)
		forKeys(arguments[3:], func(key []byte) { filter.Add(key) })
		check(writeFilter(arguments[0], filter))
	case "add":
		filter, err := readFilter(arguments[0])
		check(err)
		forKeys(arguments[1:], func(key []byte) { filter.Add(key) })
		check(writeFilter(arguments[0], filter))
	case "merge":
		filter, err := readFilter(arguments[0])
		check(err)
		other, err := readFilter(arguments[1])
		check(err)
		check(filter.Merge(other))
		check(writeFilter(arguments[0], filter))
	case "ask":
		filter, err := readFilter(arguments[0])
		check(err)
		forKeys(arguments[1:], func(key []byte) {
			if filter.Test(key) {
				fmt.Fprintln(out, "t")
			} else {
				fmt.Fprintln(out, "f")
			}
		})
	case "sizes":
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			n, p, _ := strings.Cut(in.Text(), ",")
			rate, err := strconv.ParseFloat(p, 64)
			check(err)
			m, k := bloom.EstimateParameters(uint(number(n)), rate)
			fmt.Fprintf(out, "%s,%s,%d,%d\n", n, p, m, k)
		}
		check(in.Err())
	default:
		log.Fatalf("no such command: %s", command)
	}
}
