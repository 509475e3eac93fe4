/*
 * leveldb.cc
 *	  LevelDB's side of the script leveldb.
 *
 *		build BITS_PER_KEY KEYS FILTER
 *		ask FILTER KEYS ANSWERS
 *		name
 *
 * Files are as psql's \copy ... (FORMAT csv) writes and reads a column: a value per
 * line; keys and filters as \x and hexadecimal digits, answers as t or f.
 */
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

std::string
FilterOfKeys(const std::vector<std::string> &keys, int bits_per_key)
{
	std::unique_ptr<const leveldb::FilterPolicy> policy(
		leveldb::NewBloomFilterPolicy(bits_per_key));
	std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
	std::string filter;

	policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
	return filter;
}

bool
MayContain(const leveldb::FilterPolicy &policy, const std::string &filter,
		   const std::string &key)
{
	return policy.KeyMayMatch(key, filter);
}

static std::string
Bytes(const std::string &line)
{
	std::string bytes;

	if (line.compare(0, 2, "\\x") != 0)
		throw std::runtime_error("not \\x and digits: " + line);
	for (size_t i = 2; i + 1 < line.size(); i += 2)
		bytes.push_back(static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16)));
	return bytes;
}

static std::vector<std::string>
ReadLines(const std::string &file)
{
	std::ifstream in(file);
	std::vector<std::string> values;
	std::string line;

	if (!in)
		throw std::runtime_error("cannot read " + file);
	while (std::getline(in, line))
		values.push_back(Bytes(line));
	return values;
}

static void
WriteLine(const std::string &bytes, const std::string &file)
{
	static const char digits[] = "0123456789abcdef";
	std::ofstream out(file);

	out << "\\x";
	for (unsigned char c : bytes)
		out << digits[c >> 4] << digits[c & 15];
	out << '\n';
}

int
main(int argc, char **argv)
{
	const std::vector<std::string> args(argv + 1, argv + argc);
	std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));

	try
	{
		if (args.at(0) == "build")
			WriteLine(FilterOfKeys(ReadLines(args.at(2)), std::stoi(args.at(1))), args.at(3));
		else if (args.at(0) == "ask")
		{
			const std::string filter = ReadLines(args.at(1)).at(0);
			std::ofstream out(args.at(3));

			for (const std::string &key : ReadLines(args.at(2)))
				out << (MayContain(*policy, filter, key) ? "t\n" : "f\n");
		}
		else if (args.at(0) == "name")
			std::cout << policy->Name() << '\n';
		else
			throw std::runtime_error("no command: " + args.at(0));
	}
	catch (const std::exception &e)
	{
		std::cerr << e.what() << '\n';
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
